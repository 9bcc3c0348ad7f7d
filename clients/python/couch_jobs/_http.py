"""HTTP/1.1 on asyncio's streams: connections that are kept, and requests that are repeated."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import socket
import ssl
from typing import Any, AsyncGenerator, Callable, Dict, List, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

from .errors import ApiError, ConnectionLost, LeaseLost

_LOG = logging.getLogger("couch_jobs")
_LONGEST_PAUSE = 10.0
_RETRIED = (429, 500, 502, 503, 504)
_AWAY = (502, 503, 504)
_SILENCE = 60.0  # the server shows each 15 seconds that a stream lives


class Response(NamedTuple):
    status: int
    headers: Dict[str, str]
    body: bytes


class Connection(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class Http:
    """Sends requests to one server. A request that is cancelled closes its connection.

    The log gets a line when the server is away, and one when it answers again. In between, ``away_since`` is the time of
    the event loop when the first request failed.
    """

    def __init__(
        self,
        url: str,
        token: Optional[str],
        context: Optional[ssl.SSLContext],
        ca_file: Optional[str] = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"The address of a server is like http://127.0.0.1:7470; this is {url!r}.")
        self._host = parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._ssl = (context or ssl.create_default_context(cafile=ca_file)) if parts.scheme == "https" else None
        self._base = parts.path.rstrip("/")
        self._host_header = parts.netloc.rpartition("@")[2]
        self._token = token
        self._idle: List[Connection] = []
        self._address = f"{parts.scheme}://{self._host_header}"
        self.away_since: Optional[float] = None
        self.on_change: Callable[[], None] = lambda: None
        """Is called when the server is away, and when it answers again."""

    def _is_away(self, cause: str) -> None:
        if self.away_since is None:
            self.away_since = asyncio.get_running_loop().time()
            _LOG.warning("The server %s is away: %s. Trying again.", self._address, cause)
            self.on_change()

    def _answers(self) -> None:
        if self.away_since is not None:
            self.away_since = None
            _LOG.warning("The server %s answers again.", self._address)
            self.on_change()

    async def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: Optional[str] = None,
        timeout: float = 30.0,
        give_up_after: Optional[float] = None,
        on_repeat: Optional[Dict[str, Any]] = None,
    ) -> Any:
        """Sends a request until there is a reply, and returns its body.

        :param key: an idempotency key; repeated requests have the same
        :param timeout: how many seconds one try may take
        :param give_up_after: after how many seconds no further try is made; None for never
        :param on_repeat: members that are added to the body of repeated requests
        :raises ApiError: if the server refuses it
        :raises ConnectionLost: if the time is up
        """
        loop = asyncio.get_running_loop()
        end = None if give_up_after is None else loop.time() + give_up_after
        tries = 0
        while True:
            pause: Optional[float] = None
            try:
                response = await asyncio.wait_for(self._try(method, path, body, key), timeout)
                if response.status not in _AWAY:
                    self._answers()
                if response.status < 400:
                    return json.loads(response.body) if response.body else None
                error: Exception = _error(response)
                if response.status not in _RETRIED:
                    raise error
                if response.status in _AWAY:
                    self._is_away(str(error))
                pause = _retry_after(response)
            except (OSError, ConnectionLost, asyncio.TimeoutError) as lost:
                cause = _cause(lost)
                self._is_away(cause)
                error = ConnectionLost(f"{method} {self._address}{path}: {cause}")
            if pause is None:
                pause = _pause(tries)
            if end is not None and loop.time() + pause > end:
                raise error
            tries += 1
            await asyncio.sleep(pause)
            if on_repeat:
                body = {**body, **on_repeat}

    async def events(self, path: str, give_up_after: float) -> AsyncGenerator[Any, None]:
        """Yields the data of server-sent events, without end, over as many connections as that needs.

        :param give_up_after: after how many seconds without a connection no further try is made
        :raises ApiError: if the server refuses it
        :raises ConnectionLost: if the time is up
        """
        loop = asyncio.get_running_loop()
        last: Optional[str] = None
        tries, end = 0, loop.time() + give_up_after
        while True:
            lines = self._lines(path, last)
            try:
                data = id = event = None
                async for line in lines:
                    tries, end = 0, loop.time() + give_up_after
                    self._answers()
                    if line.startswith("id: "):
                        id = line[4:]
                    elif line.startswith("data: "):
                        data = line[6:]
                    elif line.startswith("event: "):
                        event = line[7:]
                    elif not line:
                        last = id or last
                        if event == "trimmed":
                            _LOG.warning("GET %s: retention has removed messages before they were read: %s", path, data)
                        elif data is not None:
                            yield json.loads(data)
                        data = id = event = None
                    end = loop.time() + give_up_after
                error: Exception = ConnectionLost(f"GET {self._address}{path}: the stream has ended")
            except ApiError as refused:
                if refused.status not in _RETRIED:
                    raise
                error = refused
            except (OSError, ConnectionLost, asyncio.IncompleteReadError, asyncio.TimeoutError) as lost:
                self._is_away(_cause(lost))
                error = ConnectionLost(f"GET {self._address}{path}: {_cause(lost)}")
            finally:
                await lines.aclose()
            pause = _pause(tries)
            if loop.time() + pause > end:
                raise error
            tries += 1
            await asyncio.sleep(pause)

    async def _lines(self, path: str, last: Optional[str]) -> AsyncGenerator[str, None]:
        """The lines of a stream, on a connection of its own."""
        connection = await asyncio.wait_for(self._open(), _SILENCE)
        try:
            headers = ["Accept: text/event-stream"] + ([] if last is None else [f"Last-Event-ID: {last}"])
            connection.writer.write(self._head("GET", path, [*headers, "Content-Length: 0"]))
            await connection.writer.drain()
            status, fields = await asyncio.wait_for(_read_head(connection.reader), _SILENCE)
            if status >= 400:
                body = await asyncio.wait_for(_read_body(connection.reader, fields), _SILENCE)
                raise _error(Response(status, fields, body))
            rest = b""
            while True:
                part = await asyncio.wait_for(_read_part(connection.reader, fields), _SILENCE)
                if not part:
                    return
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    yield line.decode()
        finally:
            connection.writer.close()

    async def _try(self, method: str, path: str, body: Any, key: Optional[str]) -> Response:
        connection, is_new = await self._connect()
        try:
            try:
                response, is_kept = await self._exchange(connection, method, path, body, key)
            except (OSError, ConnectionLost, asyncio.IncompleteReadError):
                if is_new:
                    raise
                # The server has closed a connection that was kept: the request is repeatable.
                connection.writer.close()
                connection = await self._open()
                response, is_kept = await self._exchange(connection, method, path, body, key)
        except BaseException as error:
            connection.writer.close()
            if isinstance(error, asyncio.IncompleteReadError):
                raise ConnectionLost("the response is incomplete") from error
            raise
        if is_kept:
            self._idle.append(connection)
        else:
            connection.writer.close()
        return response

    async def _connect(self) -> Tuple[Connection, bool]:
        while self._idle:
            kept = self._idle.pop()
            if not kept.reader.at_eof() and not kept.writer.is_closing():
                return kept, False
            kept.writer.close()
        return await self._open(), True

    async def _open(self) -> Connection:
        reader, writer = await asyncio.open_connection(self._host, self._port, ssl=self._ssl)
        return Connection(reader, writer)

    async def _exchange(
        self, connection: Connection, method: str, path: str, body: Any, key: Optional[str]
    ) -> Tuple[Response, bool]:
        content = b"" if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        headers = ["Accept: application/json", f"Content-Length: {len(content)}"]
        if body is not None:
            headers.append("Content-Type: application/json")
        if key is not None:
            headers.append(f"Idempotency-Key: {key}")
        connection.writer.write(self._head(method, path, headers) + content)
        await connection.writer.drain()
        return await _read_response(connection.reader)

    def _head(self, method: str, path: str, headers: List[str]) -> bytes:
        lines = [f"{method} {self._base}{path} HTTP/1.1", f"Host: {self._host_header}", *headers]
        if self._token is not None:
            lines.append(f"Authorization: Bearer {self._token}")
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"

    async def close(self) -> None:
        """Closes the connections that are kept."""
        while self._idle:
            self._idle.pop().writer.close()


def _pause(tries: int) -> float:
    return min(_LONGEST_PAUSE, 0.05 * 2 ** min(tries, 10)) * random.uniform(0.5, 1)


async def _read_response(reader: asyncio.StreamReader) -> Tuple[Response, bool]:
    status, headers = await _read_head(reader)
    is_kept = headers.get("connection", "").lower() != "close"
    if status in (204, 304):
        return Response(status, headers, b""), is_kept
    is_delimited = _is_chunked(headers) or "content-length" in headers
    return Response(status, headers, await _read_body(reader, headers)), is_kept and is_delimited


async def _read_head(reader: asyncio.StreamReader) -> Tuple[int, Dict[str, str]]:
    while True:
        status_line = await reader.readline()
        if not status_line.endswith(b"\n"):
            raise ConnectionLost("the connection was closed")
        status = int(status_line.split(None, 2)[1])
        headers: Dict[str, str] = {}
        while True:
            line = (await reader.readuntil(b"\n")).decode("latin-1").strip()
            if not line:
                break
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if status >= 200:
            return status, headers


def _is_chunked(headers: Dict[str, str]) -> bool:
    return headers.get("transfer-encoding", "").lower() == "chunked"


async def _read_body(reader: asyncio.StreamReader, headers: Dict[str, str]) -> bytes:
    if not _is_chunked(headers):
        return await (reader.readexactly(int(headers["content-length"])) if "content-length" in headers else reader.read())
    parts: List[bytes] = []
    while True:
        part = await _read_part(reader, headers)
        if not part:
            return b"".join(parts)
        parts.append(part)


async def _read_part(reader: asyncio.StreamReader, headers: Dict[str, str]) -> bytes:
    """A part of a body whose length is not known before; nothing at its end."""
    if not _is_chunked(headers):
        return await reader.read(65536)
    size = int((await reader.readuntil(b"\n")).split(b";")[0], 16)
    if size == 0:
        while (await reader.readuntil(b"\n")).strip():
            pass
        return b""
    part = await reader.readexactly(size)
    await reader.readexactly(2)
    return part


def _cause(lost: Exception) -> str:
    if isinstance(lost, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({lost.verify_message}), see ca_file"
    if isinstance(lost, asyncio.TimeoutError):
        return "no response in time"
    if isinstance(lost, asyncio.IncompleteReadError):
        return "the response is incomplete"
    if isinstance(lost, socket.gaierror):
        return str(lost.strerror)
    if isinstance(lost, OSError) and lost.errno and not isinstance(lost, ssl.SSLError):
        return os.strerror(lost.errno)
    return str(lost)


def _error(response: Response) -> ApiError:
    try:
        problem = json.loads(response.body)
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    error = ApiError(response.status, problem)
    return LeaseLost(response.status, problem) if error.code == "lease-lost" else error


def _retry_after(response: Response) -> Optional[float]:
    value = response.headers.get("retry-after", "")
    return min(60.0, float(value)) * random.uniform(1, 1.2) if value.isdigit() else None
