"""JSON as it is sent and received, without the loss of a digit."""

from __future__ import annotations

import base64
import json
import re
import uuid
from decimal import Decimal
from typing import Any, Iterable, Iterator, List, Mapping, Set, Tuple

from .errors import NotJson, name_of, text_of

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SPACE = re.compile(r"[ \t\n\r]*")
_SURE_DIGITS = 15  # each number of so many digits comes back from a float
_WRITTEN_AS_THEY_ARE = frozenset((str, int, float, bool, type(None)))
_VALUES_MAX = 5_000_000  # more than the server takes
_Places = Mapping[str, Any]  # by the name of a member: what is in it, or _PAYLOAD
_PAYLOAD: _Places = {"": {}}
# Of a job and a message, of a page of messages, and of claims. The name alone is no sign: a header may have it.
_PAYLOADS: _Places = {
    **dict.fromkeys(("data", "result", "value"), _PAYLOAD),
    "items": {"value": _PAYLOAD},
    "claims": {"data": _PAYLOAD, "checkpoint": _PAYLOAD},
}
_NONE: _Places = {}


class ExactFloat(float):
    """A number of a payload that a float does not hold, such as 1e400 or one of 20 digits.

    It computes as the nearest float, and this package writes it as its ``text``.
    """

    text: str
    """The number as JSON has it."""

    def __new__(cls, text: str) -> ExactFloat:
        if not _NUMBER.fullmatch(text):
            raise ValueError(f"{text!r} is no number of JSON.")
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __getnewargs__(self) -> Tuple[str]:  # type: ignore[override]
        return (self.text,)


def _to_float(text: str) -> float:
    number = float(text)
    if len(text) <= _SURE_DIGITS and "e" not in text and "E" not in text:
        return number
    try:
        is_held = Decimal(repr(number)) == Decimal(text)
    except ArithmeticError:  # the exponent is beyond that of Decimal
        is_held = False
    return number if is_held else ExactFloat(text)


_DECODER = json.JSONDecoder(parse_float=_to_float)


def encode(body: Any) -> bytes:
    """Returns the text of the body of a request in UTF-8. Half a surrogate pair stays what it is, as an escape.

    A payload of bytes is written in Base64, as the member that the server has for it.

    :raises NotJson: if JSON has no such value
    """
    try:
        value = _in_base64(body)
        if _is_plain(value):
            text = _dumps(value)
        else:
            mark = uuid.uuid4().hex
            text = re.sub(f'"{mark}([^"]*)"', r"\1", _dumps(_Copy(mark).of(value)))
        return text.encode("utf-8", "backslashreplace")
    except BaseException as error:  # of a user's class: also SystemExit, which would end the worker
        raise NotJson(f"It cannot be written as JSON: {name_of(error)}: {text_of(error)}") from error


def _in_base64(body: Any) -> Any:
    if not isinstance(body, dict):
        return body
    members = dict(body)
    for name in ("data", "result"):
        payload = members.get(name)
        if isinstance(payload, (bytes, bytearray, memoryview)):
            del members[name]
            members[name + "Bytes"] = base64.b64encode(payload).decode()
    if isinstance(members.get("jobs"), (list, tuple)):
        members["jobs"] = [_in_base64(job) for job in _Copy("").bounded(members["jobs"])]
    return members


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _is_plain(value: Any) -> bool:
    """Whether all of it is of types that are written as they are, without a call of the caller's code."""
    seen: Set[int] = set()
    left: List[Any] = [value]
    while left:
        some = left.pop()
        kind = type(some)
        if kind in _WRITTEN_AS_THEY_ARE or id(some) in seen:
            continue
        if kind is dict and all(type(name) is str for name in some):
            left.extend(some.values())
        elif kind is list or kind is tuple:
            left.extend(some)
        else:
            return False
        seen.add(id(some))
    return True


class _Copy:
    """Copies values into those of plain types, with a marked text in place of each exact float.

    json.dumps writes subclasses of float as floats, and keys that are no texts as texts. What a class of the caller's
    yields may have no end.
    """

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._left = _VALUES_MAX

    def of(self, value: Any) -> Any:
        kind = type(value)
        if issubclass(kind, ExactFloat):
            return self._mark + value.text
        if issubclass(kind, dict):
            return {_key(name): self.of(member) for name, member in self.bounded(value.items())}
        if issubclass(kind, (list, tuple)):
            return [self.of(item) for item in self.bounded(value)]
        return value

    def bounded(self, values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            self._left -= 1
            if self._left < 0:
                raise ValueError(f"There are more than {_VALUES_MAX} values.")
            yield value


def _key(name: Any) -> str:
    if not issubclass(type(name), str):
        raise TypeError(f"A key is no text: {name!r}")
    return str.__str__(name)


def decode(text: bytes) -> Any:
    """Returns the value of a reply. Beside each payload, such as ``data``, it has its text, as ``dataText``.

    :raises ValueError: if it is no JSON
    """
    source = text.decode()
    value, end = _read(source, _skip(source, 0), _PAYLOADS)
    if _skip(source, end) < len(source):
        raise ValueError("There is more than one value.")
    return value


def _read(source: str, at: int, places: _Places) -> Tuple[Any, int]:
    """Reads a value of the server, down to the payloads at places in it; returns it and its end."""
    if places and source.startswith("{", at):
        return _read_members(source, _skip(source, at + 1), places)
    if places and source.startswith("[", at):
        return _read_items(source, _skip(source, at + 1), places)
    return _DECODER.raw_decode(source, at)


def _read_members(source: str, at: int, places: _Places) -> Tuple[Any, int]:
    members = {}
    while not source.startswith("}", at):
        at = _next(source, at) if members else at
        _expect(source, at, '"')
        name, at = _DECODER.raw_decode(source, at)
        start = _skip(source, _expect(source, _skip(source, at), ":"))
        inner = places.get(name, _NONE)
        if inner is _PAYLOAD:
            members[name], at = _DECODER.raw_decode(source, start)
            members[name + "Text"] = source[start:at]
        else:
            members[name], at = _read(source, start, inner)
        at = _skip(source, at)
    return members, at + 1


def _read_items(source: str, at: int, places: _Places) -> Tuple[Any, int]:
    items: List[Any] = []
    while not source.startswith("]", at):
        item, at = _read(source, _next(source, at) if items else at, places)
        items.append(item)
        at = _skip(source, at)
    return items, at + 1


def _next(source: str, at: int) -> int:
    return _skip(source, _expect(source, at, ","))


def _expect(source: str, at: int, sign: str) -> int:
    if not source.startswith(sign, at):
        raise ValueError(f"There is no {sign} at {at}.")
    return at + 1


def _skip(source: str, at: int) -> int:
    space = _SPACE.match(source, at)
    assert space
    return space.end()
