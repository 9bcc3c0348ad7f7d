"""Numbers that a program gives, checked before anything is sent."""

from __future__ import annotations

import operator
from typing import Any

_LONGEST = 36_500 * 86_400.0  # the server's longest pause, in seconds


def seconds(name: str, value: Any) -> float:
    """Returns a duration that the server is told.

    :raises ValueError: if it is no number of seconds from 0 to 36,500 days
    """
    number = _number(value)
    if not 0 <= number <= _LONGEST:
        raise ValueError(f"{name} is a number of seconds from 0 to {_LONGEST:.0f}; this is {_shown(value)}.")
    return number


def patience(name: str, value: Any) -> float:
    """Returns a duration that this program waits, perhaps without end.

    :raises ValueError: if it is no number of seconds from 0 on
    """
    number = float("inf") if isinstance(value, int) and value > _LONGEST else _number(value)
    if not number >= 0:
        raise ValueError(f"{name} is a number of seconds, 0 or more; this is {_shown(value)}.")
    return number


def count(name: str, value: Any, least: int, most: int = 2**63 - 1) -> int:
    """Returns a whole number.

    :raises ValueError: if it is none, or out of its range
    """
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise ValueError(f"{name} is a whole number from {least} to {most}; this is {_shown(value)}.")
    return number


def _number(value: Any) -> float:
    """The number; NaN if it is none."""
    if isinstance(value, (bool, str, bytes, bytearray)):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _shown(value: Any) -> str:
    try:
        return repr(value)[:100]
    except Exception:  # of the value's class, or of an integer of too many digits
        return f"of the type {type(value).__name__}"
