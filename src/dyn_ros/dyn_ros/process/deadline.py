# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An end of the process that no lock holds up, neither Python's nor a library's."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGEV_THREAD, CLOCK_MONOTONIC = 2, 1
MAX_SHUTDOWN_S = 4.0  # s for the shutdown of DDS; a launch kills the process after 5
STUCK_TEXT = (
    f"DDS shutdown timed out after {MAX_SHUTDOWN_S} s; exiting. The last messages are sent; files "
    "may be left in /dev/shm (docs/troubleshooting.md)"
)
WORDS_FIRST = 0.1  # s
_libc = ctypes.CDLL(None)
_libc.strdup.restype = ctypes.c_void_p


class _Event(ctypes.Structure):
    """What is called in a thread of its own when a timer ends: sigevent(3type)."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("unused", ctypes.c_char * 32),
    )


class _Times(ctypes.Structure):
    """When it ends: itimerspec(3type)."""

    _fields_ = tuple((name, ctypes.c_long) for name in ("every", "every_ns", "in_s", "in_ns"))


@contextmanager
def limited_leave() -> Iterator[None]:
    """Have the process end with status 0 if DDS does not let its nodes go meanwhile.

    Fast DDS 2.14 and 3.2 may hang for ever, with Python's lock: where nodes end at the same moment,
    and their C++ library cannot wait by the steady clock (eProsima/Fast-DDS issue 6513).
    """
    timers = (
        _call_in(MAX_SHUTDOWN_S, _libc.warnx, _libc.strdup(STUCK_TEXT.encode())),
        _call_in(MAX_SHUTDOWN_S + WORDS_FIRST, _libc._exit, 0),
    )
    try:
        yield
    finally:
        for timer in timers:
            _libc.timer_delete(timer)


def _call_in(seconds: float, function: Any, value: int) -> ctypes.c_void_p:
    """Have the C library call one of its functions; return the timer."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    event = _Event(value=value, notify=SIGEV_THREAD, function=address)
    timer = ctypes.c_void_p()
    whole, part = divmod(seconds, 1.0)
    times = _Times(in_s=int(whole), in_ns=int(part * 1e9))
    _libc.timer_create(CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer))
    _libc.timer_settime(timer, 0, ctypes.byref(times), None)
    return timer
