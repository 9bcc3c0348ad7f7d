import asyncio
import unittest
from typing import Awaitable, Callable, List

from couch_jobs import ApiError, Client, NotJson
from couch_jobs._http import ConnectionLost
from couch_jobs._time import from_seconds, to_seconds

_Answer = Callable[[int, asyncio.StreamWriter], Awaitable[None]]


class Server:
    """An HTTP server that answers as a test says."""

    def __init__(self, answer: _Answer) -> None:
        self._answer = answer
        self.requests: List[str] = []

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *error: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = [line for line in head.splitlines() if line.lower().startswith("content-length")]
                await reader.readexactly(int(length[0].split(":")[1]))
                self.requests.append(head)
                await self._answer(len(self.requests), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def reply(status: int, body: str, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body.encode())}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


async def _refuse(writer: asyncio.StreamWriter, answer: bytes) -> None:
    writer.write(answer)
    writer.close()


class HttpTest(unittest.IsolatedAsyncioTestCase):
    async def test_a_request_is_repeated_with_its_key_until_there_is_a_reply(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            if number == 1:
                writer.write(b"HTTP/1.1 201 X\r\nContent-Length: 100\r\n\r\n{")
                raise ConnectionError
            writer.write(reply(503, "no JSON", "Retry-After: 0") if number == 2 else reply(201, '{"id": "a"}'))

        server = Server(answer)
        async with server as url, Client(url, token="t") as client:
            self.assertEqual(await client.add("mail", {"to": "jo"}), "a")
        self.assertEqual(len(server.requests), 3)
        keys = {line for head in server.requests for line in head.splitlines() if line.startswith("Idempotency-Key")}
        self.assertEqual(len(keys), 1)
        self.assertIn("Authorization: Bearer t", server.requests[2])
        self.assertTrue(server.requests[2].startswith("POST /v1/types/mail/jobs HTTP/1.1"))

    async def test_a_kept_connection_that_the_server_has_closed_is_replaced(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            writer.write(reply(200, '{"state": "pending"}'))
            if number == 1:
                raise ConnectionError

        server = Server(answer)
        async with server as url, Client(url, give_up_after=0) as client:
            await client.get("mail", "a")
            await client.get("mail", "a")
        self.assertEqual(len(server.requests), 2)

    async def test_chunks_are_joined(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n")
            writer.write(b'5\r\n{"id"\r\n5;x=y\r\n: 7}\n\r\n0\r\n\r\n')

        async with Server(answer) as url, Client(url) as client:
            self.assertEqual(await client.get("mail", "a"), {"id": 7})

    async def test_a_stream_goes_on_behind_the_last_event(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            head = b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
            if number == 1:  # an event in two chunks, and a half of one
                writer.write(head + b"7\r\n:\n\nid: \r\n" + b"13\r\na\ndata: 1\n\nid: b\nda\r\n")
                raise ConnectionError
            if number == 2:
                writer.write(reply(503, "{}"))
            elif number == 3:
                writer.write(head + b"10\r\nid: b\ndata: 22\n\n\r\n0\r\n\r\n")
            else:
                writer.write(reply(404, "{}"))

        server = Server(answer)
        values = []
        async with server as url, Client(url) as client:
            with self.assertRaises(ApiError):
                async for value in client.topic("news").follow("latest"):
                    values.append(value)
        self.assertEqual(values, [1, 22])
        self.assertTrue(server.requests[0].startswith("GET /v1/topics/news/messages?from=latest HTTP/1.1"))
        self.assertNotIn("Last-Event-ID", server.requests[0])
        self.assertIn("Last-Event-ID: a", server.requests[1])
        self.assertIn("Last-Event-ID: b", server.requests[3])

    async def test_a_follower_reads_a_message_of_several_lines(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            if number == 1:
                body = b'id: a\ndata: [\ndata: 1,\ndata: \ndata:   "x y"\ndata: ]\n\nid: b\ndata: 2\n\n'
                head = b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
                writer.write(head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
            else:
                writer.write(reply(404, "{}"))

        values = []
        async with Server(answer) as url, Client(url) as client:
            with self.assertRaises(ApiError):
                async for value in client.topic("news").follow():
                    values.append(value)
        self.assertEqual(values, [[1, "x y"], 2])

    async def test_a_follower_whose_next_messages_are_removed_is_told(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            if number == 1:
                body = b'event: trimmed\ndata: {"trimmedTo": "a"}\n\nid: b\ndata: 1\n\n'
                head = b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
                writer.write(head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
            else:
                writer.write(reply(404, "{}"))

        values = []
        async with Server(answer) as url, Client(url) as client:
            with self.assertLogs("couch_jobs") as log, self.assertRaises(ApiError):
                async for value in client.topic("news").follow():
                    values.append(value)
        self.assertEqual(values, [1])
        self.assertIn('removed messages before they were read: {"trimmedTo": "a"}', log.records[0].getMessage())

    async def test_a_refusal_is_not_repeated(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            writer.write(reply(404, '{"type": "urn:couch-jobs:problem:not-found", "detail": "no such job"}'))

        server = Server(answer)
        async with server as url, Client(url) as client:
            with self.assertRaisesRegex(ApiError, "404: no such job") as raised:
                await client.get("mail", "a/b")
        self.assertEqual(raised.exception.code, "not-found")
        self.assertTrue(server.requests[0].startswith("GET /v1/types/mail/jobs/a%2Fb HTTP/1.1"))
        self.assertEqual(len(server.requests), 1)

    async def test_a_refusal_is_read_though_the_server_closes_while_the_client_writes(self) -> None:
        refusal = reply(413, '{"detail": "The body is too large."}')
        server = await asyncio.start_server(lambda reader, writer: _refuse(writer, refusal), "127.0.0.1", 0, limit=1)
        async with Client(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as client:
            with self.assertRaisesRegex(ApiError, "413: The body is too large."):
                await client.add("mail", "x" * 8_000_000)
        server.close()

    async def test_what_json_does_not_have_is_not_sent(self) -> None:
        circle: List[object] = []
        circle.append(circle)
        async with Client("http://127.0.0.1:1") as client:
            for value in ({1}, [b""], float("nan"), circle, object(), {(1, 2): 3}):
                with self.assertRaisesRegex(NotJson, "cannot be written as JSON"):
                    await client.add("mail", value)

    async def test_a_client_gives_up(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            raise ConnectionError

        async with Server(answer) as url, Client(url, give_up_after=0.1) as client:
            with self.assertRaises(ConnectionLost):
                await client.get("mail", "a")

    def test_an_address_is_checked(self) -> None:
        other = ["", "localhost:7470", "127.0.0.1:7470", "//127.0.0.1", "ftp://127.0.0.1", "http://", "http://a:b"]
        for url in [*other, "http://jo:secret@127.0.0.1", "http://127.0.0.1/?a=b", "http://127.0.0.1/#a"]:
            with self.subTest(url), self.assertRaisesRegex(ValueError, "127.0.0.1:7470") as raised:
                Client(url)
            self.assertNotIn("secret", str(raised.exception))

    def test_a_token_is_checked(self) -> None:
        for token in ("secret\n", "sécret"):
            with self.assertRaisesRegex(ValueError, "no HTTP header"):
                Client("http://127.0.0.1:7470", token=token)


class NamesTest(unittest.IsolatedAsyncioTestCase):
    async def test_a_name_that_no_path_reaches_is_refused_before_anything_is_sent(self) -> None:
        async def never(number: int, writer: asyncio.StreamWriter) -> None:
            self.fail("A request was sent.")

        server = Server(never)
        async with server as url, Client(url) as client:
            named: List[Callable[[str], Awaitable[object]]] = [
                lambda name: client.add(name, 1),
                lambda name: client.get(name, "a"),
                lambda name: client.get("mail", name),
                lambda name: client.result(name, "a"),
                lambda name: client.result("mail", name),
                lambda name: client.cancel(name, "a"),
                lambda name: client.cancel("mail", name),
                lambda name: client.remove(name, "a"),
                lambda name: client.remove("mail", name),
                lambda name: client.topic(name).get(),
                lambda name: client.topic("t").group(name).create(),
            ]
            for call in named:
                for name in (".", "..", ""):
                    with self.assertRaisesRegex(ValueError, "Nothing is called"):
                        await call(name)
        self.assertEqual(server.requests, [])


class TimeTest(unittest.TestCase):
    def test_durations_are_read_and_written(self) -> None:
        self.assertEqual(to_seconds("PT30S"), 30)
        self.assertEqual(to_seconds("PT1M0.5S"), 60.5)
        self.assertEqual(to_seconds("P1DT2H"), 93_600)
        self.assertEqual(from_seconds(1.5), "PT1.500S")
        with self.assertRaises(ValueError):
            to_seconds("30")


if __name__ == "__main__":
    unittest.main()
