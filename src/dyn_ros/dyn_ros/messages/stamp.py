# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Stamps of messages, and what may be wrong with them."""

from builtin_interfaces.msg import Duration, Time

from dyn_ros.messages.refusal import InputRefusedError

NANOSECONDS = 1_000_000_000
RECENT_NS = 2 * NANOSECONDS  # clocks that agreed since then have not drifted apart


def nanoseconds(stamp: Time) -> int:
    """Return a time of a message, ns; 0 if it is unset."""
    return int(stamp.sec) * NANOSECONDS + int(stamp.nanosec)


def time_message(nanoseconds: int) -> Time:
    """Return a point in time as a message."""
    whole, rest = divmod(nanoseconds, NANOSECONDS)
    return Time(sec=whole, nanosec=rest)


def duration_message(seconds: float) -> Duration:
    """Return a time that is not negative as a message, to the nanosecond."""
    whole, rest = divmod(round(float(seconds) * NANOSECONDS), NANOSECONDS)
    return Duration(sec=whole, nanosec=rest)


def seconds_of(duration: Duration) -> float:
    """Return a duration of a message, s."""
    return float(duration.sec + duration.nanosec / NANOSECONDS)


def refuse_order(what: str, before: int, now: int, repeated: bool) -> None:
    """Raise InputRefusedError unless time goes on; `repeated` allows a stamp to come again.

    `what` has the stamps `before` and `now`, ns; a stamp of 0 is none.
    """
    if now < before:
        raise InputRefusedError(
            "time ran backwards",
            f"{what} has a stamp {(before - now) / NANOSECONDS:.6f} s older than the last one: "
            "let only one publisher report each joint, with a clock that never goes back "
            "(expected once after a simulation restarts)",
        )
    if now == before and now and not repeated:
        raise InputRefusedError(
            "stamp unchanged",
            f"{what} has the same stamp as the last one: its publisher repeats an old measurement. "
            "Restart the publisher, or set stamps to ignored",
        )


def refuse_age(
    what: str, stamp: int, now: int, most: int, waited: int = 0, before: int = 0
) -> None:
    """Raise InputRefusedError if a stamp is more than `most` before or after `now`, all in ns.

    `waited` is how long the message has been in a queue of this process, `before` the stamp of the
    last one that was in time; 0: none was.
    """
    if abs(now - stamp) <= most:
        return
    if not stamp:
        text = "has no stamp: let its publisher write the time of the measurement"
    elif stamp + most < now <= stamp + most + waited:  # it was fresh when it came
        text = (
            f"is {(now - stamp) / NANOSECONDS:.3f} s old by its stamp, and this node read it "
            f"{waited / NANOSECONDS:.3f} s after its arrival: this computer is overloaded, "
            "the node was stopped, or DDS waited for a process that joined: see docs/real_time.md"
        )
    elif now + most < stamp <= now + most + waited:
        text = (
            f"is {(stamp - now) / NANOSECONDS:.3f} s ahead of this node's time, and this node read "
            f"it {waited / NANOSECONDS:.3f} s after its arrival, before /clock: this computer is "
            "overloaded, or the node was stopped"
        )
    elif now - RECENT_NS < before <= stamp < now:  # the clocks agreed a moment ago
        text = (
            f"is {(now - stamp) / NANOSECONDS:.3f} s old by its stamp, and the last one was in "
            "time: its publisher, the network or this computer is overloaded, or a clock was set"
        )
    else:
        when = "old" if stamp < now else "in the future"
        text = (
            f"is {abs(now - stamp) / NANOSECONDS:.3f} s {when} by its stamp: compare the clocks of "
            "the computers, and use_sim_time of this node and its publisher"
        )
    raise InputRefusedError(
        "stamp age", f"{what} {text}. To use such messages, set stamps to ignored"
    )
