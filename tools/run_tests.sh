#!/bin/bash
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
# Run pytest with these arguments: the tests that need no DDS on all processors, and beside them, one
# after another, those that talk over it or start processes. These share ports, have to keep time and
# wait most of it: they come first wherever they have something to do, and print when all is over.
# REPORTS names a folder for the results as XML, PHASE one of the two: parallel or serial.

# Every worker has a processor of its own: BLAS threads of two workers would wait for each other.
export OPENBLAS_NUM_THREADS=1
# Processes share the compiled form of Python files: half of the time of a start. Some machines ask
# Python to keep none.
unset PYTHONDONTWRITEBYTECODE

run() { # NAME ARGUMENTS...
    exec python -m pytest ${REPORTS:+--junitxml="$REPORTS/$1.xml"} "${@:2}"
}
parallel() { run parallel -n logical --dist worksteal "$@" --dds=without; }
serial() { run serial "$@" --dds=only -n 0; }

[ -n "$PHASE" ] && "$PHASE" "$@"
set -m # so that Ctrl-C reaches the background too
printed=$(mktemp)
trap 'kill -INT -- -$! 2> /dev/null; wait; rm -f "$printed"' EXIT
serial "$@" > "$printed" 2>&1 &
(renice -n 19 $BASHPID > /dev/null && parallel "$@")
of_parallel=$?
wait $!
of_serial=$?
cat "$printed"
nothing_selected=5
[ $of_serial = $nothing_selected ] && exit $of_parallel
[ $of_parallel = $nothing_selected ] && exit $of_serial
exit $((of_parallel > of_serial ? of_parallel : of_serial))
