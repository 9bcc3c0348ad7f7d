"""The log of this package. What a program's log handlers and filters raise changes no result here."""

from __future__ import annotations

import logging
from typing import Optional

_LOG = logging.getLogger("couch_jobs")


def _write(level: int, message: str, args: tuple[object, ...], error: Optional[BaseException]) -> None:
    try:
        _LOG.log(level, message, *args, exc_info=error)
    except Exception:
        if error is not None:
            _write(level, message, args, None)
    except BaseException:
        if error is None:
            raise
        _write(level, message, args, None)  # it is of the error, which tells what it is made of


def info(message: str, *args: object) -> None:
    _write(logging.INFO, message, args, None)


def warning(message: str, *args: object, exc_info: Optional[BaseException] = None) -> None:
    _write(logging.WARNING, message, args, exc_info)


def error(message: str, *args: object) -> None:
    _write(logging.ERROR, message, args, None)
