"""Topics: durable logs of messages, and groups that consume them."""

from __future__ import annotations

from typing import Any, AsyncGenerator, AsyncIterator, Awaitable, Callable, Dict, List, Optional
from urllib.parse import urlencode

from ._numbers import count, seconds
from ._path import segment
from ._time import from_seconds
from .errors import ApiError

Message = Dict[str, Any]
_Read = Callable[..., Awaitable[Any]]
_Write = Callable[..., Awaitable[Any]]
_Events = Callable[[str], AsyncGenerator[Any, None]]
_CONFLICT = 409


class Topic:
    """A topic, by its name. Made by :meth:`Client.topic`."""

    def __init__(self, read: _Read, write: _Write, events: _Events, name: str) -> None:
        self._read = read
        self._write = write
        self._events = events
        self._path = f"/v1/topics/{segment(name)}"

    async def put(self, partitions: int = 1, **settings: Any) -> Dict[str, Any]:
        """Creates the topic, or changes it.

        Settings are ``maxAge``, ``maxBytes``, ``consumedBy`` and ``compactAfter``.
        """
        topic: Dict[str, Any] = await self._write("PUT", self._path, {"partitions": count("partitions", partitions, 1), **settings})
        return topic

    async def get(self) -> Dict[str, Any]:
        """Returns the settings, and what the partitions hold."""
        topic: Dict[str, Any] = await self._read(self._path)
        return topic

    async def remove(self) -> bool:
        """Removes the topic with its messages, and returns whether there was one."""
        return bool((await self._write("DELETE", self._path))["changed"])

    async def append(self, value: Any, **options: Any) -> int:
        """Appends a message, and returns its partition. Options are ``key``, ``partition`` and ``headers``."""
        return int((await self.append_all([{"value": value, **options}]))[0]["partition"])

    async def append_all(self, messages: List[Message]) -> List[Dict[str, Any]]:
        """Appends messages in one transaction, in this order.

        Each has a ``value`` and options, or a ``key`` and ``"deletion": True`` in a compacted topic.
        """
        return list((await self._write("POST", f"{self._path}/messages", {"messages": messages}))["items"])

    async def read(self, partition: int = 0, start: str = "earliest", limit: int = 100, wait: float = 0) -> Any:
        """Returns a page: ``items``, and ``next``, the start of the next page.

        A message has its ``value``, and the text of it, ``valueText``.

        :param start: ``earliest``, ``latest``, a time, or the offset behind which to begin
        :param wait: for how many seconds to wait for a message, at most 60
        """
        of, longest = _partition(partition), seconds("wait", wait)
        query = urlencode({"from": start, "limit": count("limit", limit, 1), "wait": from_seconds(longest)})
        return await self._read(f"{self._path}/partitions/{of}/messages?{query}", timeout=longest + 30)

    def follow(self, start: str = "earliest", partition: Optional[int] = None) -> AsyncGenerator[Message, None]:
        """Yields messages as they come, without end: those of all partitions in the order of their commits.

        A lost connection is made again, without a gap and without a double. If retention has removed the next
        messages meanwhile, the log says so.

        :param start: as of :meth:`read`
        """
        of = "" if partition is None else f"/partitions/{_partition(partition)}"
        return self._events(f"{self._path}{of}/messages?{urlencode({'from': start})}")

    def group(self, name: str) -> Group:
        """A group of consumers. This sends nothing."""
        return Group(self._read, self._write, f"{self._path}/groups/{segment(name)}")


class Group:
    """Consumers that share the messages of a topic: each message is for one of them."""

    def __init__(self, read: _Read, write: _Write, path: str) -> None:
        self._read = read
        self._write = write
        self._path = path

    async def create(self, start: str = "earliest") -> bool:
        """Creates the group, and returns whether it was not there."""
        return bool((await self._write("PUT", self._path, {"from": start}))["changed"])

    async def poll(self, limit: int = 100, partition: Optional[int] = None) -> List[Message]:
        """Takes the next messages of a partition. They are consumed, whatever becomes of the caller."""
        body = {"limit": count("limit", limit, 1), **_in_partition(partition)}
        return list((await self._write("POST", f"{self._path}/poll", body))["items"])

    async def batches(self, limit: int = 100) -> AsyncIterator[List[Message]]:
        """Messages as they come. Those of a batch are consumed when the next batch is asked for."""
        query = urlencode({"limit": count("limit", limit, 1), "wait": from_seconds(20)})
        while True:
            page = await self._read(f"{self._path}/messages?{query}", timeout=50)
            if page["items"]:
                yield page["items"]
                await self._commit(page["cursor"])

    async def _commit(self, cursor: str) -> None:
        try:
            await self._write("POST", f"{self._path}/commit", {"cursor": cursor})
        except ApiError as refused:
            if refused.status != _CONFLICT:
                raise  # otherwise another consumer was first

    async def seek(self, to: str, partition: Optional[int] = None) -> None:
        """Moves the group to a start as of :meth:`Topic.read`."""
        await self._write("POST", f"{self._path}/seek", {"to": to, **_in_partition(partition)})

    async def lag(self) -> int:
        """Returns how many messages it has still to consume."""
        return int((await self._read(self._path))["lag"])


def _partition(number: int) -> int:
    return count("partition", number, 0)


def _in_partition(number: Optional[int]) -> Dict[str, int]:
    return {} if number is None else {"partition": _partition(number)}
