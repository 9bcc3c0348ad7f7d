import copy
import json
import pickle
import unittest
from collections import OrderedDict, namedtuple
from enum import Enum, IntEnum
from typing import Any, Callable, Dict, Iterator, List
from unittest import mock

from couch_jobs import ExactFloat, NotJson
from couch_jobs._json import decode, encode

HELD = ["0", "-0", "1", "-1.5", "0.1", "1e2", "1E+2", "100.0", "0.30000000000000004", "5e-324", "-1e-7", "0e400"]
HELD += ["9007199254740993", "12345678901234567890123", "1" * 1000, "1.7976931348623157e308", "0.10"]
EXACT = ["0.12345678901234567890", "1e400", "-1E400", "1e-400", "0.1000000000000000055", "3.14159265358979323846"]
EXACT += ["9007199254740993.0", "1e99999999999999999999", "123456789.123456789123"]


class JsonTest(unittest.TestCase):
    def test_numbers_come_back_as_they_were(self) -> None:
        for text in HELD + EXACT:
            job = decode(b'{"data": {"n": [%s]}}' % text.encode())
            back = encode({"result": job["data"]}).decode()
            if text in EXACT:
                self.assertEqual(back, '{"result": {"n": [%s]}}' % text)
                self.assertIsInstance(job["data"]["n"][0], ExactFloat)
            else:
                self.assertNotIsInstance(job["data"]["n"][0], ExactFloat)
                self.assertEqual(_value(back), _value('{"result": {"n": [%s]}}' % text))

    def test_payloads_of_bytes_are_sent_in_base64(self) -> None:
        job = {"type": "scan", "data": b"\x00\xff\xc0\n", "dataMediaType": "image/png"}
        sent = {"type": "scan", "dataMediaType": "image/png", "dataBytes": "AP/ACg=="}
        for payload in (b"\x01", bytearray(b"\x01"), memoryview(b"\x01")):
            body = {"result": payload, "jobs": [job, {"type": "scan", "data": 1}]}
            expected = {"resultBytes": "AQ==", "jobs": [sent, {"type": "scan", "data": 1}]}
            self.assertEqual(json.loads(encode(body)), expected)
        self.assertEqual(job["data"], b"\x00\xff\xc0\n")
        released = memoryview(b"")
        released.release()
        odd: List[Dict[str, Any]] = [{"data": [b""]}, {"log": b""}, {"data": released}]
        for body in odd:
            with self.assertRaises(NotJson):
                encode(body)

    def test_an_exact_float_computes_and_is_copied(self) -> None:
        number = decode(b"0.12345678901234567890")
        self.assertEqual(number * 2, 0.2469135780246913578)
        for other in (copy.deepcopy([number])[0], pickle.loads(pickle.dumps(number))):
            self.assertEqual((other, other.text), (number, "0.12345678901234567890"))
        for text in ("", "nan", "1_0", " 1", "1,2", '1"'):
            with self.assertRaises(ValueError):
                ExactFloat(text)

    def test_a_payload_has_its_text(self) -> None:
        payload = ' [ {"data" : "\\u00e9\\"}" , "": [1.0, 1e0] } ,{}, [ ] ]'
        reply = '{ "claims" : [ { "id":"a", "data":%s,"headers": {"data": 1e0} } , {"data" :%s}] }' % (payload, payload)
        claims = decode(reply.encode())["claims"]
        self.assertEqual([claim["dataText"] for claim in claims], [payload.strip()] * 2)
        self.assertEqual([claim["data"] for claim in claims], [json.loads(payload)] * 2)
        self.assertEqual(claims[0]["id"], "a")
        self.assertEqual(decode(b'{"items": [{"value": 1.0}], "result": null}')["items"][0]["valueText"], "1.0")

    def test_a_payload_is_known_by_its_place_and_not_by_its_name(self) -> None:
        names = ("data", "result", "checkpoint", "value", "dataText", "items", "claims", "job", "headers")
        named = {name: {other: [1, {other: "x"}] for other in names} for name in names}
        members = {"headers": named, "tags": [named], "counts": named, "progress": named, "closing": named}
        job: Dict[str, Any] = {name: named for name in ("data", "result", "value")}
        texts = {name + "Text": json.dumps(named) for name in job}
        self.assertEqual(decode(json.dumps({**members, **job}).encode()), {**members, **job, **texts})
        for place, payloads in {"items": ["value"], "claims": ["data", "checkpoint"]}.items():
            others = {name: named for name in ("data", "result", "checkpoint", "value") if name not in payloads}
            item = {**members, **others, **{name: named for name in payloads}}
            texts = {name + "Text": json.dumps(named) for name in payloads}
            read = decode(json.dumps({place: [item, {}], "next": "x", "headers": named}).encode())
            self.assertEqual(read, {place: [{**item, **texts}, {}], "next": "x", "headers": named})

    def test_replies_are_read_as_json_reads_them(self) -> None:
        for text in ("{}", "[]", " [ ] ", '{"a": [{"b": {}}, [], 1, "x", true, null]}', '"x"', "7"):
            self.assertEqual(decode(text.encode()), json.loads(text))
        for text in ("", "{", "[", "{]", "[1", "[1,]", "[1 2]", '{"a"}', '{"a":}', '{"a":1,}', "{1:2}", "1 2", "[,1]"):
            with self.assertRaises(ValueError, msg=text):
                decode(text.encode())

    def test_a_text_is_never_taken_for_a_number(self) -> None:
        value = {"text": '"1.0"', "number": ExactFloat("1.00000000000000000001")}
        self.assertEqual(json.loads(encode(value)), {"text": '"1.0"', "number": 1.0})

    def test_a_circle_around_an_exact_float_is_refused(self) -> None:
        circle: Any = [ExactFloat("1e400")]
        circle.append(circle)
        with self.assertRaises(NotJson):
            encode(circle)


def _value(text: str) -> Any:
    return json.loads(text, parse_float=float)


class Raising(Exception):
    pass


def raising(error: BaseException) -> Callable[..., Any]:
    def method(*args: object) -> Any:
        raise error

    return method


def endless(self: object) -> Iterator[Any]:
    while True:
        yield 1


def deeper(self: Any) -> Iterator[Any]:
    yield type(self)([1])


METHODS = ["__class__", "__eq__", "__float__", "__getattribute__", "__getitem__", "__hash__", "__index__", "__int__"]
METHODS += ["__iter__", "__len__", "__bool__", "__repr__", "__str__", "__format__", "items", "keys", "values"]
KINDS: Dict[type, Any] = {dict: {"a": 1}, list: [1], tuple: (1,), str: "a", int: 7, float: 0.5, object: None}
ERRORS = [SystemExit(3), KeyboardInterrupt(), RecursionError("deep"), Raising("own"), GeneratorExit(), MemoryError()]


class OddValuesTest(unittest.TestCase):
    def test_a_value_is_written_as_it_is_or_refused_with_the_cause(self) -> None:
        for kind, plain in KINDS.items():
            for method in METHODS:
                for error in ERRORS:
                    with self.subTest(kind=kind.__name__, method=method, error=type(error).__name__):
                        value = _odd(kind, plain, method, error)
                        try:
                            written = json.loads(encode({"result": [value]}))["result"]
                        except NotJson as refused:
                            text = str(refused)
                            self.assertTrue(type(error).__name__ in text or "not JSON serializable" in text, text)
                        else:
                            self.assertEqual(written, [list(plain) if kind is tuple else plain])

    def test_a_value_without_end_is_refused(self) -> None:
        with mock.patch("couch_jobs._json._VALUES_MAX", 1000):
            for kind, method in ((list, "__iter__"), (tuple, "__iter__"), (dict, "items")):
                for members in (endless, deeper):
                    if issubclass(kind, dict):
                        members = _pairs(members)
                    value = type("Odd", (kind,), {method: members})()
                    with self.subTest(kind=kind.__name__, method=method):
                        with self.assertRaisesRegex(NotJson, "values|recursion"):
                            encode({"result": value})

    def test_a_key_that_is_no_text_is_refused(self) -> None:
        one = IntEnum("Number", "ONE").ONE  # type: ignore[attr-defined]
        for key in (1, 1.5, float("nan"), True, None, (1,), b"a", one):
            with self.subTest(key=key), self.assertRaisesRegex(NotJson, "key"):
                encode({"result": {"deep": [{key: 1}]}})

    def test_what_json_has_comes_back(self) -> None:
        Point = namedtuple("Point", "x y")
        red = Enum("Colour", {"RED": "red"}, type=str).RED  # type: ignore[attr-defined]
        same = [(Point(1, -0.0), [1, -0.0]), (OrderedDict(a=1), {"a": 1}), (red, "red"), ({red: 1}, {"red": 1})]
        for value, expected in same:
            self.assertEqual(repr(json.loads(encode({"result": [value]}))["result"]), repr([expected]))


def _pairs(members: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    return lambda self: (("a", type(self)()) if members is deeper else ("a", value) for value in endless(self))


def _odd(kind: type, plain: Any, method: str, error: BaseException) -> Any:
    member = property(raising(error)) if method == "__class__" else raising(error)
    odd = type("Odd", (kind,), {method: member})
    return odd() if plain is None else odd(plain)


if __name__ == "__main__":
    unittest.main()
