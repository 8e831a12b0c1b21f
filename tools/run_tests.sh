#!/bin/bash
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
# Run pytest with these arguments: first the tests that need no DDS, on all processors, then those
# that talk over it or start processes, one after another, since they share ports and have to keep
# time. REPORTS names a folder for the results as XML, PHASE one of the two: parallel or serial.

# Every worker has a processor of its own: BLAS threads of two workers would wait for each other.
export OPENBLAS_NUM_THREADS=1

run() { # NAME ARGUMENTS...
    python -m pytest ${REPORTS:+--junitxml="$REPORTS/$1.xml"} "${@:2}"
}

nothing_selected=5
parallel=$nothing_selected serial=$nothing_selected
if [ "$PHASE" != serial ]; then
    run parallel -n logical --dist worksteal "$@" --dds=without
    parallel=$?
    case $parallel in
        0 | 1 | $nothing_selected) ;;
        *) exit $parallel ;; # stopped, or not understood
    esac
fi
if [ "$PHASE" != parallel ]; then
    run serial "$@" --dds=only -n 0
    serial=$?
fi
[ $serial = $nothing_selected ] && exit $parallel
[ $parallel = $nothing_selected ] && exit $serial
exit $((parallel > serial ? parallel : serial))
