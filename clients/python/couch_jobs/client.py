"""What a program needs that adds jobs and waits for their results."""

from __future__ import annotations

import asyncio
import ssl
import uuid
from base64 import b64decode
from typing import Any, AsyncGenerator, Dict, List, Optional

from ._http import Http
from ._numbers import patience
from ._path import segment
from ._time import from_seconds
from .errors import JobFailed, ResultTimeout
from .topics import Topic

_LONGEST_WAIT = 20.0


class Client:
    """Adds jobs, and reads them. To be used in one event loop, by any number of tasks.

    Requests are repeated on lost connections, 429 and 5xx for ``give_up_after`` seconds, without a second effect.

    :param url: the address of the server
    :param token: who calls, if the server asks
    :param ca_file: for https: the authorities to trust, in PEM, in place of the system's
    :param ssl_context: for https, in place of ``ca_file``
    """

    def __init__(
        self,
        url: str,
        *,
        token: Optional[str] = None,
        ca_file: Optional[str] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        give_up_after: float = 30.0,
    ) -> None:
        self._http = Http(url, token, ssl_context, ca_file)
        self._give_up_after = patience("give_up_after", give_up_after)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.close()

    async def _write(self, method: str, path: str, body: Any = None) -> Any:
        return await self._http.send(method, path, body, key=str(uuid.uuid4()), give_up_after=self._give_up_after)

    async def _read(self, path: str, timeout: float = 30.0) -> Any:
        return await self._http.send("GET", path, timeout=timeout, give_up_after=self._give_up_after)

    def _events(self, path: str) -> AsyncGenerator[Any, None]:
        return self._http.events(path, self._give_up_after)

    def topic(self, name: str) -> Topic:
        """A topic. This sends nothing."""
        return Topic(self._read, self._write, self._events, name)

    async def topics(self) -> List[str]:
        """Returns the names of the topics, at most 1,000."""
        return list((await self._read("/v1/topics?limit=1000"))["items"])

    async def add(self, type: str, data: Any, **options: Any) -> str:
        """Adds a job, and returns its id.

        :param data: the payload: what JSON has, or ``bytes``, which ``dataMediaType`` in the options may describe
        :param options: members of a new job as the server's ``/openapi.json`` names them: ``id``, ``at``,
            ``priority``, ``unique`` and more
        """
        added = await self._write("POST", f"/v1/types/{segment(type)}/jobs", {"data": data, **options})
        return str(added["id"])

    async def add_all(self, jobs: List[Dict[str, Any]]) -> List[str]:
        """Adds jobs in one transaction, and returns their ids. Each has a ``type``, ``data`` and options."""
        added = await self._write("POST", "/v1/jobs", {"jobs": jobs})
        return [str(job["id"]) for job in added["items"]]

    async def get(self, type: str, id: str) -> Dict[str, Any]:
        """Returns a job with its state, data and result, and the texts of both, ``dataText`` and ``resultText``.

        Numbers that a float does not hold are :class:`ExactFloat`.
        """
        job: Dict[str, Any] = await self._read(_job(type, id))
        return job

    async def result(self, type: str, id: str, timeout: Optional[float] = None) -> Any:
        """Waits until a job has ended, and returns its result: ``bytes`` if it is no JSON.

        :raises JobFailed: if it has ended without success
        :raises ResultTimeout: if it has not ended after ``timeout`` seconds
        """
        loop = asyncio.get_running_loop()
        end = None if timeout is None else loop.time() + patience("timeout", timeout)
        while True:
            left = _LONGEST_WAIT if end is None else min(_LONGEST_WAIT, max(0.0, end - loop.time()))
            path = f"{_job(type, id)}/result?timeout={from_seconds(left)}"
            job = await self._read(path, timeout=left + 30)
            if job["state"] == "finished":
                if job.get("outcome", "succeeded") != "succeeded":
                    raise JobFailed(job)
                return b64decode(job["resultBytes"]) if "resultBytes" in job else job.get("result")
            if end is not None and loop.time() >= end:
                raise ResultTimeout(f"Job {id} of type {type} has not ended after {timeout} seconds.")

    async def cancel(self, type: str, id: str, reason: str = "") -> bool:
        """Cancels a job, and returns whether there was something to cancel."""
        return bool((await self._write("POST", f"{_job(type, id)}/cancel", {"reason": reason}))["changed"])

    async def remove(self, type: str, id: str) -> bool:
        """Removes a job, and returns whether there was one."""
        return bool((await self._write("DELETE", _job(type, id)))["changed"])


def _job(type: str, id: str) -> str:
    return f"/v1/types/{segment(type)}/jobs/{segment(id)}"
