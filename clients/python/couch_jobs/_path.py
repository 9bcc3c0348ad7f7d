"""Names in paths."""

from __future__ import annotations

from urllib.parse import quote


def segment(name: str) -> str:
    """Returns a name as a segment of a path.

    :raises ValueError: if no path reaches it: servers take ``.`` and ``..``, however written, for steps in the path
    """
    if name in ("", ".", ".."):
        raise ValueError(f"Nothing is called {name!r}: a name has a character, and is not . or ..")
    return quote(name, safe="")
