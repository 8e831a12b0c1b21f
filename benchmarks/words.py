# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the document says beside its tables."""

from __future__ import annotations

HEAD = """\
# Benchmarks

Written by `make bench`; do not edit. `make bench BENCH_ARGS=kernels` runs one section,
`BENCH_ARGS=--quick` three of them in short, `BENCH_ARGS=--report` only writes this document and
its plots anew.

Peers run in the same process, in turn with ours, over the same random states. Times are the
shortest and the median of the repetitions; spread is how far the middle 80 % of them are apart,
over the median, of the side where it is most. Ratios are of the shortest times, ours over the
peer's; goals stand in brackets.

Peers that are optional are left out, and said so, where they are not found:

* Pinocchio's C++ is compiled from the headers of its wheel by the newest clang that is there, or by
  gcc: up to twice as slow. It takes minutes the first time.
* Pinocchio's generated code stands on CppAD and CppADCodeGen, which are neither packages of Debian
  12 nor wheels. Both install by CMake into one folder, which `CPPAD_PREFIX` names:

  ```
  git clone https://github.com/coin-or/CppAD && git clone https://github.com/joaoleal/CppADCodeGen
  export CPPAD_PREFIX=$PWD/prefix
  for x in CppAD CppADCodeGen; do
      cmake -S $x -B $x/build -D CMAKE_INSTALL_PREFIX=$CPPAD_PREFIX -D cppad_prefix=$CPPAD_PREFIX \\
          -D CMAKE_PREFIX_PATH=$CPPAD_PREFIX && cmake --build $x/build --target install
  done
  ```

* Drake and dynibo are wheels: `pip install --no-deps -r requirements/bench.txt` in the environment
  of development.
* frax and BARD are in folders of their own, which the variables FRAX and BARD name:
  requirements/frax.txt and requirements/bard.txt say how to fill them. A GPU measures them by
  `make bench BENCH_ARGS="--jobs FOLDER"` here and `python gpu.py FOLDER` there.

RBDL is not among the peers: Debian 12 does not have it."""
WORDS_OF_KERNELS = """\
Machine code calls the kernel, so nothing of Python is in the times; all outputs are stored.
Pinocchio's model is loaded at run time, compiled with `-O3 -march=native`. Multipliers are busy
for the share of the time that the kernel's multiplications, fused or not, take at least;
operations count one on several lanes once. Generated is Pinocchio's straight-line code for one
model, of symmetric matrices one half, compiled with `-O3 -march=native`, and with `-ffast-math`
where that leaves its numbers right; the ratio is to the faster of both. panda is with its two
fingers, panda_arm without; hyq, simple_humanoid and talos are on free flyers."""
WORDS_OF_COLD = """\
Before each call 96 MB of other data are read and another kernel of 250 KB runs. Medians; the time
of an empty call is taken off. Bound is what `compile(...).bind(data)` returns, beside Pinocchio's
binding; the kernel alone beside Pinocchio's C++."""
WORDS_OF_PASSES = """\
Without a pass, over with all of them. By robot: functions of which the kernel alone (warm, minima)
takes 5 % more or less. At most, of all functions and robots: the time after other work went through
the caches (cold, medians), bytes of code, processor seconds to trace, print and compile.
docs/compiler.md says what each pass does, docs/notes/compiler.md what was tried and left out. Left
out, as other work disturbed or stopped the measurement: `aba_derivatives` of icub and
g1_with_hands, `rnea_derivatives` of g1_with_hands."""
WORDS_OF_GROWTH = """\
Revolute joints in a row, or at random parents. The exponent is the slope from the smallest to the
largest."""
WORDS_OF_BATCH = """\
Nanoseconds for each of 1024 states, or as many as 4 MB hold the outputs of, on one core: rows of
arrays; blocks of eight states, which need no transposing; rows of floats. One by one is the kernel
of one state in a loop, which keeps all outputs too; Pinocchio overwrites its own. Two cores: how
many times faster than one, on as many states as 16 MB hold."""
HEAD_OF_ARRAYS = """\
# Benchmarks: many states as arrays

Written by `make bench BENCH_ARGS=arrays`; do not edit. [benchmarks.md](benchmarks.md) says what the
columns are and how peers get here."""
WORDS_OF_ARRAYS = """\
Nanoseconds for each state of one call from Python, in double precision unless floats are named, on
one core: frax 0.1 on the JAX 0.4.30 that it asks for, compiled for each number of states, and BARD
0.4.3 on PyTorch, as its README calls it. Inputs lie where the peer computes and results stay there.
Each peer runs in a process of its own, in turn with ours on the same core; results equal ours, as
far as the last column says, before time is taken. One state of ours is what `bind` returns. frax
says of itself that it computes "upwards of 100 million" a second "on GPU or TPU" (README, version
0.1.0); BARD that "dynamics algorithms (RNEA, CRBA, ABA) see 5--10x gains" over one Pinocchio thread
with 4096 states on an H200 (README, version 0.4.3). Of 100 000 states only ours is measured: BARD
would take a minute."""
WORDS_OF_GPU = """\
The same two peers where they are at home: a state's share of one call, data and results on the
GPU, the shortest of ten calls. Beside them dyn_core on the processor of the same machine, on one
core and on all: 1000 states are too few to share, and mass matrices of 100 000 humanoids, a
gigabyte, are written as fast as the memory takes them."""
WORDS_OF_ROLLOUTS = """\
1024 motions of 50 steps of a panda, in milliseconds, beside MuJoCo's rollout."""
WORDS_OF_CALLS = """\
`dyn_core.rnea(model, data, q, v, a)` beside the same call of Pinocchio's binding; MuJoCo's
`mj_inverse`, `mj_makeM` with what it needs, and `mj_forward`, which compute more than that, with
the state copied into its data; Drake's `CalcInverseDynamics`, `CalcMassMatrix` and
`EvalTimeDerivatives` of a plant without geometry, with the state set in its context; and dynibo's
`inverse_dynamics`, `mass_matrix` and `forward_dynamics`, the state of a base made before, once its
results equal ours to 1e-10. Bound is what `compile(...).bind(data)` returns."""
HEAD_OF_CONTACTS = """\
# Benchmarks: contacts and simulation

Written by `make bench BENCH_ARGS="contacts steps"`; do not edit. [benchmarks.md](benchmarks.md)
says how peers get here."""
WORDS_OF_CONTACTS = """\
Robots of example-robot-data land on all feet (or on the corners of two soles) in random postures
with random velocities; random problems have up to 16 contacts, conditions to 1e8 and coefficients
to 2. All have a solution. Given is of how many states each solver finds the forces, all conditions
to 1e-9 of the largest speed, and the median time of a call from Python. Pinocchio's solvers end
after 1000 iterations with tolerances of 1e-10; its PGS updates normal and friction apart, ours
solves each contact exactly and ends with Newton's method."""
WORDS_OF_IK = """\
Poses of the hand of a panda that random configurations within limits have. Solved is what is within
1e-6 (m, rad) with all joints within limits, told by the same function for all, from up to 100
random starts, which are the same for the peers. `solve_ik` takes all poses in one call, on one
core; pink, mink and placo step pose by pose, up to 30 steps from a start, with a gain of 1 and the
limits of positions alone, pink and mink with the solver that is fastest there, placo with its own
and the regularization that is fastest; the test of every step, some 20 µs, is in their time. placo
runs in a process of its own, right after the others, as its wheel brings another Pinocchio."""
WORDS_OF_STEPS = """\
A step of 1 ms of `dyn_core.simulation.TimeStepper`, which is robot_sim's, and `mj_step` on the
same bodies, joints, damping, dry friction, limits and contact points, both from Python and in
turn. Arms swing, the others stand."""
WORDS_OF_CONFIGURE = """\
Each in a process of its own, imports not counted (of which the reader of URDF, imported when it
is first needed, is 0.03 s): URDF, trace, compile and bind. Medians of five."""
WORDS_OF_NODE = """\
The demo: a simulated arm held by the gravity compensation node, over DDS, on two cores."""
WORDS_OF_SERVICES = """\
All nodes in one process: the rate of gravity efforts, alone and while clients ask a service of the
same process all the time."""
WORDS_OF_CONTROLLERS = """\
`dyn_controllers/GravityCompensation` of a UR5 in the controller manager of ros2_control on mock
hardware at 1 kHz, and in turn with it, in the same run, a `forward_command_controller` that writes
what it was told. Times are the manager's means of update(). Limiters are ros2_control's own, which
look at every command of an effort, compose texts for that and allocate memory, inside of either
controller's update(): most of what both take with them."""
WORDS_OF_ROS = """\
Joint states at 1 kHz, for a chain of seven joints, to each process in turn: the time until the
command is back, and the processor time of all threads of the process for a sample. Ratios are to
the relay in rclpy (EventsExecutor; `joint_states` in, `Float64MultiArray` out). The composed
process has seven nodes; "commands subscribed" means that nobody listens to its other topics. By how
much the ratios of another relay in rclpy differ from 1 is chance. Where others take the processors
for 1 % of the time, as of a virtual machine, p99 shows them: "of a block" is the median of the p99
of blocks of half a second. Then the highest rate at which at most 0.1 % get lost in the best of its
blocks, and round trips of a service beside one of the same type that answers with zeros."""
HEAD_OF_NODES = """\
# Benchmarks of nodes and controllers

[Functions, batches and simulations](benchmarks.md) have a page of their own, which says how times
are taken. `make bench-ros` measures nodes beside relays; the controllers need ros2_control."""
NOTES = """\
## What is missed, and why

* **Multipliers busy, rnea.** In a single state each link waits for the one before. An ur5's
  multiplications take 30 ns of its 35; robots with limbs as lanes also move numbers between lanes,
  and what exceeds the registers goes to memory and back. What was tried: docs/notes/compiler.md. In
  batches a Zen 4 does one multiplication of eight doubles per cycle: 160 states of simple_humanoid
  take at least 10 us of them. The rest are 370 stores per block of what 32 registers cannot hold,
  among 1700 multiplications: forces and sines of each link wait from the way out for the way back,
  in any order of the links. Vectors of 256 bits, whose stores are twice as many at half the width,
  were tried: within 8 % the same on panda and simple_humanoid, 17 % slower on hyq. Blocks, which
  need no transposing, take 11 to 12 us.
* **Derivatives of a panda's inverse dynamics.** 2700 multiplications take 370 ns of the 460: its
  arm alone, with 2300, passes. Fingers cost moves between lanes, and 31.8 KB of code leave no room
  in the instruction cache.
* **Batches of legged robots beside one by one.** Mass matrices of many humanoids are bound by
  writing them. The kernel of one state has limbs as lanes already, so that hyq's mass matrix and
  derivatives take as long in a batch, or a tenth longer.
* **Two cores** share what takes longer than 0.2 ms; less stays in the calling thread. The other
  one's processor sleeps: until it computes, 0.03 to 0.06 ms go by, of the 1.1 ms that 16 MB of an
  ur5's states take on one. Two threads that wait in a loop for each other, and share nothing, are
  1.8 to 2.0 times as fast as one here.
* **Growth of trees.** Of the tree of 200 joints 111 lie on one path: each step there waits for the
  one before, and takes its multiplications, 106 of rnea's. The tree of ten joints, with which the
  exponent compares, has limbs as lanes and goes by its mass matrix: its forward dynamics takes 27
  ns a joint, that of 200 joints 51.
* **Derivatives of a panda's forward dynamics.** 45 KB of straight-line code outgrow the instruction
  cache and arrive at 16 bytes per cycle. Nearly half of them move what 32 registers cannot hold:
  docs/notes/compiler.md says what was tried. Without its fingers 34 KB remain."""
