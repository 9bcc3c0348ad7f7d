"""JSON as it is sent and received."""

from __future__ import annotations

import json
from typing import Any

from .errors import NotJson, text_of


def encode(value: Any) -> bytes:
    """Returns the text of a value in UTF-8. Half a surrogate pair stays what it is, as an escape.

    :raises NotJson: if JSON has no such value
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
    except Exception as error:  # also that of a user's class, and RecursionError
        raise NotJson(f"It cannot be written as JSON: {type(error).__name__}: {text_of(error)}") from error


def decode(text: bytes) -> Any:
    """Returns the value of a text.

    :raises ValueError: if it is no JSON
    """
    return json.loads(text)
