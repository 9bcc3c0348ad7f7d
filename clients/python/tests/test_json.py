import copy
import json
import pickle
import unittest
from typing import Any, Dict, List

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


if __name__ == "__main__":
    unittest.main()
