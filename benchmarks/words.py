# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Text of the document beside its tables."""

from __future__ import annotations

HEAD = """\
# Benchmarks

`make bench` writes this page; do not edit it. `make bench BENCH_ARGS=kernels` runs one section,
`BENCH_ARGS=--quick` runs three short ones, `BENCH_ARGS=--report` only writes the page and its plots
anew.

Each peer runs in the same process as dyn_core, interleaved with it, on the same random states. A
time is given as the shortest and the median of the repetitions. Spread is the width of the middle
80 % of the repetitions divided by their median, for the side with the larger spread. Ratios are
dyn_core's shortest time divided by the peer's. Goals are in brackets. "Bound" is the callable that
`compile(...).bind(data)` returns.

Optional peers that are not installed are left out, with a note:

* Pinocchio's C++ is compiled from the headers of its wheel, by the newest clang on the computer, or
  by gcc, which is up to twice as slow. The first compilation takes minutes.
* Pinocchio's generated code needs CppAD and CppADCodeGen, which are neither packages of Debian 12
  nor wheels. Install both by CMake into one folder, and name it in `CPPAD_PREFIX`:

  ```
  git clone https://github.com/coin-or/CppAD && git clone https://github.com/joaoleal/CppADCodeGen
  export CPPAD_PREFIX=$PWD/prefix
  for x in CppAD CppADCodeGen; do
      cmake -S $x -B $x/build -D CMAKE_INSTALL_PREFIX=$CPPAD_PREFIX -D cppad_prefix=$CPPAD_PREFIX \\
          -D CMAKE_PREFIX_PATH=$CPPAD_PREFIX && cmake --build $x/build --target install
  done
  ```
* Drake is a wheel: `pip install --no-deps -r requirements/bench.txt` in the development
  environment.
* frax and BARD need folders of their own, named in the variables FRAX and BARD;
  requirements/frax.txt and requirements/bard.txt explain how to fill them. To measure them on a
  GPU, run `make bench BENCH_ARGS="--jobs FOLDER"` here and `python gpu.py FOLDER` there.

RBDL is not measured: Debian 12 does not have it."""
WORDS_OF_KERNELS = """\
Machine code calls the kernel, so the times do not include Python. All outputs are stored.
Pinocchio's model is loaded at run time; its C++ is compiled with `-O3 -march=native`. "Generated"
is Pinocchio's straight-line code for one model. It stores one half of symmetric matrices, and is
compiled with `-O3 -march=native`, also with `-ffast-math` where results stay correct. Its ratio
compares with the faster compiler. "Multipliers busy" is the shortest time that the multiplications
of the kernel, fused or not, can take, divided by the measured time. An operation on several lanes
counts once. The robot panda includes its two fingers, panda_arm does not; hyq, simple_humanoid and
talos have free flyers."""
WORDS_OF_COLD = """\
Before each call 96 MB of other data are read, and another kernel of 250 KB runs. Medians; the time
of an empty call is subtracted. "Bound" compares with Pinocchio's binding, the kernel alone with
Pinocchio's C++."""
WORDS_OF_PASSES = """\
Time without a pass divided by the time with all passes. By robot: functions whose kernel (warm
calls, minima) changes by 5 % or more. "At most" is the largest ratio of all functions and robots,
for cold calls (after other work replaced the caches; medians), bytes of code, and processor time to
trace, print and compile. docs/compiler.md explains the passes; docs/notes/compiler.md has rejected
alternatives. Ratios of one kernel scatter by 10 % from run to run."""
WORDS_OF_GROWTH = """\
Revolute joints in one chain, or with random parents. The exponent is the slope between the smallest
and the largest number of joints, on logarithmic axes."""
WORDS_OF_BATCH = """\
Nanoseconds per state on one core, for 1024 states, or for as many as have 4 MB of outputs. "Rows"
are rows of arrays; "blocks" of eight states need no transposition; "floats" are rows in single
precision. "One by one" is the kernel of one state in a loop that keeps all outputs; Pinocchio
overwrites its outputs. "Two cores" is the speed-up over one core, for as many states as have 16 MB
of outputs."""
HEAD_OF_ARRAYS = """\
# Benchmarks: many states as arrays

`make bench BENCH_ARGS=arrays` writes this page; do not edit it. [Benchmarks](benchmarks.md)
explains the columns, and how to install the peers."""
WORDS_OF_ARRAYS = """\
Nanoseconds per state of one call from Python on one core, in double precision except for the column
"floats". Peers: frax 0.1 on JAX 0.4.30, the version that it requires, compiled for each number of
states; BARD 0.4.3 on PyTorch, called as in its README. Inputs and results stay where the peer
computes. Each peer runs in a process of its own, interleaved with dyn_core on the same core.
Results are compared before the measurement; the last column has the difference. dyn_core's single
state is a call of what `bind` returns. The READMEs claim: frax (0.1.0) computes "upwards of 100
million" a second "on GPU or TPU"; BARD (0.4.3) reports that "dynamics algorithms (RNEA, CRBA, ABA)
see 5--10x gains" over one Pinocchio thread with 4096 states on an H200. 100 000 states were
measured with dyn_core alone: BARD would take a minute."""
WORDS_OF_GPU = """\
The same two peers on a GPU, for which they are made: time per state of one call, with data and
results on the GPU, the shortest of ten calls. dyn_core runs on the processor of the same machine,
on one core and on all cores. 1000 states are too few to share among cores. Mass matrices of 100 000
humanoids, a gigabyte, are limited by the speed of memory."""
WORDS_OF_ROLLOUTS = """\
1024 motions of 50 steps of a panda, in milliseconds, compared with MuJoCo's rollout."""
WORDS_OF_CALLS = """\
`dyn_core.rnea(model, data, q, v, a)` and its like, compared with:

* Pinocchio: the same call of its binding.
* MuJoCo: `mj_inverse`, `mj_makeM` with the functions that it needs, and `mj_forward`, with the
  state copied into its data. They compute more.
* Drake: `CalcInverseDynamics`, `CalcMassMatrix` and `EvalTimeDerivatives` of a plant without
  geometry, with the state set in its context."""
HEAD_OF_CONTACTS = """\
# Benchmarks: contacts and simulation

`make bench BENCH_ARGS="contacts steps"` writes this page; do not edit it.
[Benchmarks](benchmarks.md) explains how to install the peers."""
WORDS_OF_CONTACTS = """\
Robots of example-robot-data land on all feet (or on the corners of two soles) in random postures
with random velocities. Random problems have up to 16 contacts, condition numbers to 1e8 and
friction coefficients to 2. All have a solution. The table has the share of states for which each
solver finds the forces (all conditions to 1e-9 of the largest speed), and the median time of a call
from Python. Pinocchio's solvers stop after 1000 iterations or at tolerances of 1e-10. Its PGS
updates normal and friction forces separately; dyn_core solves each contact exactly and ends with
Newton's method."""
WORDS_OF_IK = """\
Target poses are those of a panda's hand at random configurations within the limits. A pose is
solved if the error is below 1e-6 (m, rad) and all joints are within limits, by the same check for
all solvers, from up to 100 random starts. The peers use the same starts. `solve_ik` takes all poses
in one call, on one core. pink, mink and placo solve pose by pose, with up to 30 steps from a start,
a gain of 1 and position limits alone. pink and mink use their fastest solver, placo its own with
its fastest regularization. Their times include the check after each step, some 20 µs. placo runs
in another process right after the others, since its wheel contains another Pinocchio."""
WORDS_OF_STEPS = """\
A step of 1 ms of `dyn_core.simulation.TimeStepper`, which robot_sim uses, compared with `mj_step`
for the same bodies, joints, damping, dry friction, limits and contact points. Both are called from
Python, interleaved. Arms swing, the other robots stand."""
WORDS_OF_CONFIGURE = """\
Time to read the URDF, trace, compile and bind, each in a process of its own. Medians of five,
without imports. `import dyn_core` takes 0.02 s of processor time, Pinocchio's 0.20 s. Up to a model
of the UR5 dyn_core takes 0.29 s, Pinocchio 0.20 s: dyn_core imports numpy and its own parts when
they are first needed."""
WORDS_OF_CONTROLLERS = """\
Controllers of a resting UR5 in the controller manager of ros2_control, on mock hardware at 1 kHz.
In the same run, interleaved, a `forward_command_controller` writes the commands that it received.
Times are the manager's means of update(); errors are differences from Python's gravity. The
limiters are ros2_control's own. They check each effort command, format text for it and allocate
memory, inside either controller's update()."""
WORDS_OF_ROS = """\
Each process in turn gets joint states of a chain of seven joints at 1 kHz. The table has the delay
until its command arrives, and the processor time of all its threads per sample. Ratios compare with
a relay in rclpy that computes nothing (EventsExecutor; `joint_states` in, `Float64MultiArray`
out). A second relay in rclpy shows the accuracy: its ratios differ from 1 by chance. The composed
process has seven nodes; "commands subscribed" means that its other topics have no subscribers. If
other programs take the processors for 1 % of the time, as on a virtual machine, they dominate p99.
So "of a block" is the median of the p99 of blocks of half a second. Two more tables have the
highest rate at which at most 0.1 % of the samples are lost in the best block, and round trips of a
service, compared with one of the same type that answers with zeros."""
HEAD_OF_NODES = """\
# Benchmarks of nodes and controllers

`make bench-ros` measures nodes and relays; the controllers need ros2_control.
[Benchmarks](benchmarks.md) has functions, batches and simulations, and explains how times are
measured."""
NOTES = """\
## Missed goals, and why

* **Multipliers busy, rnea.** In a single state each link waits for its parent. The
  multiplications of a ur5 take 30 of its 35 ns. Robots with limbs as lanes also move numbers
  between lanes, and numbers that exceed the registers go to memory and back; docs/notes/compiler.md
  has rejected alternatives. In batches a Zen 4 does one multiplication of eight doubles per cycle:
  for 160 states of simple_humanoid that is at least 10 us. The rest is the time to store numbers
  that 32 registers cannot hold: forces and sines of each link, computed in the outward pass, wait
  for the inward pass. Blocks, which need no transposition, take 11 to 12 us.
* **Derivatives of a panda's inverse dynamics.** 2700 multiplications take 370 of the 460 ns. The
  arm without fingers, with 2300, reaches the goal. Fingers cost moves between lanes, and 31.8 KB of
  code fill the instruction cache.
* **Batches of legged robots compared with one by one.** Writing to memory limits mass matrices of
  many humanoids. The kernel of one state has limbs as lanes already, so hyq's mass matrix and
  derivatives take as long in a batch, or a tenth longer.
* **Two cores** share work of more than 0.2 ms; shorter work stays in the calling thread. The other
  core sleeps, and needs 0.03 to 0.06 ms to start. On this computer, even two threads that share no
  memory are only 1.8 to 2.0 times as fast as one.
* **Growth of trees.** In the tree of 200 joints, 111 lie on one path. Each link there waits for its
  parent. The exponent compares with the tree of ten joints, which has limbs as lanes and uses the
  mass matrix: its forward dynamics takes 27 ns per joint, that of 200 joints 51.
* **Derivatives of a panda's forward dynamics.** 45 KB of straight-line code exceed the instruction
  cache and arrive at 16 bytes per cycle. Nearly half of them move numbers that 32 registers cannot
  hold; docs/notes/compiler.md has rejected alternatives."""
