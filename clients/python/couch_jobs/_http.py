"""HTTP/1.1 on asyncio's streams: connections that are kept, and requests that are repeated."""

from __future__ import annotations

import asyncio
import functools
import os
import random
import socket
import ssl
from typing import Any, AsyncGenerator, Callable, Coroutine, Dict, List, NamedTuple, Optional, Tuple, TypeVar, cast
from urllib.parse import SplitResult, urlsplit

from . import _log
from ._json import decode, encode
from .errors import ApiError, ConnectionLost, LeaseLost

_LONGEST_PAUSE = 10.0
_CONNECTS = 10.0
_RETRIED = (408, 429, 500, 502, 503, 504)
_AWAY = (502, 503, 504)
_PATIENT_TRIES = 5
_SILENCE = 60.0  # the server shows each 15 seconds that a stream lives


class Response(NamedTuple):
    status: int
    headers: Dict[str, str]
    body: bytes


class _Unreachable(ConnectionLost):
    """There is no connection, so nothing was sent."""


class _Reader(asyncio.StreamReader):
    """A reader that first gives what has arrived, when a connection is lost.

    A server that refuses a body answers and closes the connection while the client still writes. The client then sees
    that it cannot write on, and would not see the answer.
    """

    lost: Optional[Exception] = None

    def set_exception(self, exc: Exception) -> None:
        self.lost = exc
        self.feed_eof()


class Connection(NamedTuple):
    reader: _Reader
    writer: asyncio.StreamWriter


class Http:
    """Sends requests to one server. A request that is cancelled closes its connection, and so does one that fails.

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
        parts = _address(url)
        if token is not None and not (token.isascii() and token.isprintable()):
            raise ValueError("The token has characters that no HTTP header has, such as a line feed at its end.")
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._ssl = (context or ssl.create_default_context(cafile=ca_file)) if parts.scheme == "https" else None
        self._base = parts.path.rstrip("/")
        self._host_header = parts.netloc
        self._token = token
        self._idle: List[Connection] = []
        self._address = f"{parts.scheme}://{self._host_header}"
        self._answered_at = 0.0
        self.away_since: Optional[float] = None
        self.on_change: Callable[[], None] = lambda: None
        """Is called when the server is away, and when it answers again."""

    def _is_away(self, cause: str) -> None:
        if self.away_since is None:
            self.away_since = asyncio.get_running_loop().time()
            _log.warning("The server %s is away: %s. Trying again.", self._address, cause)
            self.on_change()

    def _answers(self) -> None:
        self._answered_at = asyncio.get_running_loop().time()
        if self.away_since is not None:
            self.away_since = None
            _log.warning("The server %s answers again.", self._address)
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
        outage: float = 0.0,
        on_repeat: Optional[Dict[str, Any]] = None,
        read: Callable[[Any], Any] = lambda reply: reply,
    ) -> Any:
        """Sends a request until there is a reply, and returns its body.

        :param key: an idempotency key; repeated requests have the same
        :param timeout: how many seconds one try may take
        :param give_up_after: after how many seconds no further try is made; None for never
        :param outage: how many seconds are not counted if the server answers nobody
        :param on_repeat: members that are added to the body of repeated requests
        :param read: what is returned of the body; if it raises, the reply is not that of a couch-jobs-server
        :raises ApiError: if the server refuses it
        :raises ConnectionLost: if the time is up
        :raises NotJson: if the body cannot be written
        """
        loop = asyncio.get_running_loop()
        content = None if body is None else encode(body)
        patience = float("inf") if give_up_after is None else give_up_after
        left = patience
        counted = loop.time()
        tries = 0
        while True:
            pause: Optional[float] = None
            try:
                response = await asyncio.wait_for(self._try(method, path, content, key), timeout)
                is_away = response.status in _AWAY
                if not is_away:
                    self._answers()
                if 200 <= response.status < 300:
                    return _body(response, read)
                error: Exception = _error(response)
                if response.status not in _RETRIED:
                    raise error
                if is_away and self._answered_at < counted:
                    self._is_away(str(error))
                elif tries == _PATIENT_TRIES:
                    _log.warning("%s %s%s: %s. Trying again.", method, self._address, path, error)
                pause = _retry_after(response)
            except (OSError, ConnectionLost, asyncio.TimeoutError) as lost:
                cause = _cause(lost)
                is_away = isinstance(lost, _Unreachable)
                if self._answered_at < counted:
                    self._is_away(cause)
                error = ConnectionLost(f"{method} {self._address}{path}: {cause}")
            if pause is None:
                pause = _pause(tries)
            now = loop.time()
            if is_away and outage > 0 and self._answered_at < counted:
                outage -= now - counted
            else:
                left -= now - counted
            counted = now
            if left <= 0:
                raise error
            tries += 1
            await asyncio.sleep(min(pause, patience if is_away else left))
            if on_repeat:
                content = encode({**body, **on_repeat})

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
                        data = line[6:] if data is None else data + "\n" + line[6:]
                    elif line.startswith("event: "):
                        event = line[7:]
                    elif not line:
                        last = id or last
                        if event == "trimmed":
                            _log.warning("GET %s: retention has removed messages before they were read: %s", path, data)
                        elif data is not None:
                            yield decode(data.encode())
                        data = id = event = None
                    end = loop.time() + give_up_after
                error: Exception = ConnectionLost(f"GET {self._address}{path}: the stream has ended")
            except ApiError as refused:
                if refused.status not in _RETRIED:
                    raise
                error = refused
            except (OSError, ConnectionLost, asyncio.TimeoutError) as lost:
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
        connection = await self._open()
        try:
            headers = ["Accept: text/event-stream"] + ([] if last is None else [f"Last-Event-ID: {last}"])
            connection.writer.write(self._head("GET", path, [*headers, "Content-Length: 0"]))
            status, fields = await asyncio.wait_for(_read_head(connection.reader), _SILENCE)
            if not 200 <= status < 300:
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

    async def _try(self, method: str, path: str, content: Optional[bytes], key: Optional[str]) -> Response:
        connection, is_new = await self._connect()
        try:
            try:
                response, is_kept = await self._exchange(connection, method, path, content, key)
            except ConnectionLost:
                if is_new:
                    raise
                # The server has closed a connection that was kept: the request is repeatable.
                connection.writer.close()
                connection = await self._open()
                response, is_kept = await self._exchange(connection, method, path, content, key)
        except BaseException:
            connection.writer.transport.abort()
            raise
        if is_kept:
            self._idle.append(connection)
        else:
            connection.writer.transport.abort()
        return response

    async def _connect(self) -> Tuple[Connection, bool]:
        while self._idle:
            kept = self._idle.pop()
            if not kept.reader.at_eof() and not kept.writer.is_closing():
                return kept, False
            kept.writer.close()
        return await self._open(), True

    async def _open(self) -> Connection:
        loop = asyncio.get_running_loop()
        reader = _Reader(loop=loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        connecting = loop.create_connection(lambda: protocol, self._host, self._port, ssl=self._ssl)
        try:
            transport, _ = await asyncio.wait_for(connecting, _CONNECTS)
        except (OSError, asyncio.TimeoutError) as lost:
            raise _Unreachable(_cause(lost)) from lost
        return Connection(reader, asyncio.StreamWriter(transport, protocol, reader, loop))

    async def _exchange(
        self, connection: Connection, method: str, path: str, content: Optional[bytes], key: Optional[str]
    ) -> Tuple[Response, bool]:
        headers = ["Accept: application/json", f"Content-Length: {len(content or b'')}"]
        if content is not None:
            headers.append("Content-Type: application/json")
        if key is not None:
            headers.append(f"Idempotency-Key: {key}")
        # The reply is read while the body is still written: a server may refuse a body that it has not read.
        connection.writer.write(self._head(method, path, headers) + (content or b""))
        response, is_kept = await _read_response(connection.reader)
        return response, is_kept and connection.writer.transport.get_write_buffer_size() == 0

    def _head(self, method: str, path: str, headers: List[str]) -> bytes:
        lines = [f"{method} {self._base}{path} HTTP/1.1", f"Host: {self._host_header}", *headers]
        if self._token is not None:
            lines.append(f"Authorization: Bearer {self._token}")
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"

    async def close(self) -> None:
        """Closes the connections that are kept."""
        while self._idle:
            self._idle.pop().writer.close()


def _address(url: str) -> SplitResult:
    parts = urlsplit(url)
    try:
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of the port
        is_address = False
    if not is_address:
        raise ValueError(f"The address of a server is like http://127.0.0.1:7470; this is {url!r}.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("The address of a server has no user, query or fragment: it is like http://127.0.0.1:7470.")
    return parts


def is_temporary(refused: Exception) -> bool:
    """Whether the same request may succeed later."""
    return isinstance(refused, ConnectionLost) or (isinstance(refused, ApiError) and refused.status in _RETRIED)


def _pause(tries: int) -> float:
    return min(_LONGEST_PAUSE, 0.05 * 2 ** min(tries, 10)) * random.uniform(0.5, 1)


def _body(response: Response, read: Callable[[Any], Any]) -> Any:
    try:
        return read(decode(response.body) if response.body else None)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ConnectionLost("the reply is not the JSON of a couch-jobs-server") from error


async def _read_response(reader: _Reader) -> Tuple[Response, bool]:
    status, headers = await _read_head(reader)
    is_kept = headers.get("connection", "").lower() != "close"
    if status in (204, 304):
        return Response(status, headers, b""), is_kept
    is_delimited = _is_chunked(headers) or "content-length" in headers
    return Response(status, headers, await _read_body(reader, headers)), is_kept and is_delimited


_Read = TypeVar("_Read", bound=Callable[..., Coroutine[Any, Any, Any]])


def _reads_http(read: _Read) -> _Read:
    """Says of what cannot be read that it is incomplete, or no HTTP."""

    @functools.wraps(read)
    async def reading(reader: _Reader, *args: Any) -> Any:
        try:
            return await read(reader, *args)
        except asyncio.IncompleteReadError as error:
            raise ConnectionLost("the response is incomplete") from error
        except (ValueError, LookupError, asyncio.LimitOverrunError) as error:
            raise ConnectionLost("the reply is not HTTP") from error

    return cast(_Read, reading)


@_reads_http
async def _read_head(reader: _Reader) -> Tuple[int, Dict[str, str]]:
    while True:
        status_line = await reader.readline()
        if not status_line.endswith(b"\n"):
            raise ConnectionLost("the connection was closed" if reader.lost is None else _cause(reader.lost))
        version, status = status_line.split(None, 2)[:2]
        if not version.startswith(b"HTTP/1."):
            raise ValueError(version)
        headers: Dict[str, str] = {}
        while True:
            line = (await reader.readuntil(b"\n")).decode("latin-1").strip()
            if not line:
                break
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if int(status) >= 200:
            return int(status), headers


def _is_chunked(headers: Dict[str, str]) -> bool:
    return headers.get("transfer-encoding", "").lower() == "chunked"


@_reads_http
async def _read_body(reader: _Reader, headers: Dict[str, str]) -> bytes:
    if "content-length" in headers and not _is_chunked(headers):
        return await reader.readexactly(int(headers["content-length"]))
    parts: List[bytes] = []
    while True:
        part = await _read_part(reader, headers)
        if not part:
            return b"".join(parts)
        parts.append(part)


@_reads_http
async def _read_part(reader: _Reader, headers: Dict[str, str]) -> bytes:
    """A part of a body whose length is not known before; nothing at its end."""
    if not _is_chunked(headers):
        part = await reader.read(65536)
        if not part and reader.lost is not None:
            raise ConnectionLost(_cause(reader.lost))
        return part
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
    if isinstance(lost, socket.gaierror):
        return str(lost.strerror)
    if isinstance(lost, OSError) and lost.errno and not isinstance(lost, ssl.SSLError):
        return os.strerror(lost.errno)
    return str(lost)


def _error(response: Response) -> ApiError:
    try:
        problem = decode(response.body)
    except (ValueError, RecursionError):
        problem = None
    if not isinstance(problem, dict):
        location = response.headers.get("location")
        problem = {} if location is None else {"title": f"The server redirects to {location}."}
    error = ApiError(response.status, problem)
    return LeaseLost(response.status, problem) if error.code == "lease-lost" else error


def _retry_after(response: Response) -> Optional[float]:
    value = response.headers.get("retry-after", "")
    return min(60.0, float(value)) * random.uniform(1, 1.2) if value.isdigit() else None
