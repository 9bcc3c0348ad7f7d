"""Durations as the server writes them (ISO 8601)."""

from __future__ import annotations

import re

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


def to_seconds(text: str) -> float:
    match = _DURATION.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is no duration.")
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def from_seconds(seconds: float) -> str:
    return f"PT{max(0.0, seconds):.3f}S"
