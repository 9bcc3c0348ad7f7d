"""A worker: claims jobs, runs handlers, and ends the jobs."""

from __future__ import annotations

import asyncio
import datetime
import logging
import os
import signal
import socket
import ssl
import traceback
import uuid
from typing import Any, Awaitable, Callable, Dict, List, Optional
from urllib.parse import quote

from ._http import Http
from ._time import from_seconds, to_seconds
from .errors import ApiError, ConnectionLost, LeaseLost, PermanentFailure

Handler = Callable[["Job"], Awaitable[Any]]

_LOG = logging.getLogger("couch_jobs")
_WAIT = 20.0
_QUIET_PAUSE = 2.0
_LONGEST_SILENCE = 20.0
_AFTER_HALT = 10.0
_AWAY_PAUSE = 2.0
_VERSION = "python 0.1.0"


class Job:
    """A job that this worker holds.

    If the worker loses the job, its task is cancelled: the handler sees ``asyncio.CancelledError``, and ``halt`` says
    why. What it writes afterwards with this object is refused with :class:`LeaseLost`.
    """

    def __init__(self, worker: Worker, claim: Dict[str, Any]) -> None:
        self._worker = worker
        self._lock: str = claim["lock"]
        self.type: str = claim["type"]
        self.id: str = claim["id"]
        self.data: Any = claim["data"]
        self.claim: int = claim["claim"]
        """The number of the claim; the claims on a job are never numbered alike."""
        self.attempt: int = claim["attempt"]
        """Which attempt this is, from 1; attempts without a failure are not counted."""
        self.headers: Dict[str, str] = claim["headers"]
        self.checkpoint: Any = claim.get("checkpoint")
        """The last checkpoint of earlier claims, or None."""
        self.timeout: float = to_seconds(claim["timeout"])
        """After how many seconds without a heartbeat the claim expires. The worker sends them."""
        self.halt: Optional[str] = None
        """Why the job is no longer this worker's: cancelled, removed, lost, ended or shutdown; None if it is."""
        self.has_ended = False
        self._has_returned = False

    def _held(self) -> Dict[str, str]:
        return {"type": self.type, "id": self.id, "lock": self._lock}

    async def _say(self, verb: str, body: Dict[str, Any]) -> Dict[str, Any]:
        path = f"/v1/work/types/{quote(self.type, safe='')}/jobs/{quote(self.id, safe='')}/{verb}"
        sent = {"lock": self._lock, **{name: value for name, value in body.items() if value is not None}}
        key = str(uuid.uuid4()) if verb == "update" else None  # an end is repeatable by its lock
        reply: Dict[str, Any] = await self._worker._http.send("POST", path, sent, key=key)
        if verb != "update":
            self.has_ended = True
        return reply

    async def update(self, **report: Any) -> None:
        """Renews the claim and stores a report, all in one transaction.

        :param report: any of ``log`` (a list of entries), ``progress`` (``{"done", "total", "text"}``),
            ``checkpoint``, and ``jobs`` to add, each with ``type`` and ``data``
        :raises LeaseLost: if the claim is lost; nothing was written
        """
        await self._say("update", report)

    async def log(self, entry: Any) -> None:
        """Appends an entry to the log of the job."""
        await self.update(log=[entry])

    async def progress(self, done: int, total: int = 0, text: str = "") -> None:
        """Says how far the job is."""
        await self.update(progress={"done": done, "total": total, "text": text})

    async def save_checkpoint(self, checkpoint: Any) -> None:
        """Stores from where the next attempt may go on."""
        await self.update(checkpoint=checkpoint)
        self.checkpoint = checkpoint

    async def finish(self, result: Any = None, **report: Any) -> None:
        """Ends the job with a result and a report, such as ``jobs`` to add, in one transaction.

        A handler that only has a result returns it instead.
        """
        await self._say("finish", {"result": result, **report})

    async def snooze(self, seconds: float, **report: Any) -> None:
        """Makes the job pending again, due after that time. It is no failure. The handler should return."""
        await self._say("snooze", {"time": from_seconds(seconds), **report})

    async def cancel(self, reason: str = "", **report: Any) -> None:
        """Ends the job as cancelled. The handler should return."""
        await self._say("cancel", {"reason": reason, **report})


class Worker:
    """Runs handlers for jobs, several at a time, in one event loop.

    :param url: the address of the server
    :param name: by which operators see and steer the worker
    :param concurrency: how many jobs it runs at once
    :param grace: how many seconds a job may go on after SIGTERM; then it is cancelled and released
    :param token: who works, if the server asks
    :param ca_file: for https: the authorities to trust, in PEM, in place of the system's
    :param ssl_context: for https, in place of ``ca_file``
    :param retry: when jobs without a retry policy of their own are tried again; see the server's ``/openapi.json``
    """

    def __init__(
        self,
        url: str,
        *,
        name: Optional[str] = None,
        concurrency: int = 8,
        grace: float = 20.0,
        token: Optional[str] = None,
        ca_file: Optional[str] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        retry: Optional[Dict[str, Any]] = None,
    ) -> None:
        self._http = Http(url, token, ssl_context, ca_file)
        self._handlers: Dict[str, Handler] = {}
        self._name = name or f"{socket.gethostname()}-{os.getpid()}"
        self._id = str(uuid.uuid4())
        self._concurrency = concurrency
        self._grace = grace
        self._retry = retry
        self._started_at = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
        self._tasks: Dict[Job, asyncio.Task[None]] = {}
        self._changed: Optional[asyncio.Event] = None
        self._stopping: Optional[asyncio.Event] = None

    def handler(self, type: str) -> Callable[[Handler], Handler]:
        """Decorates the handler of a type: an async function that takes a :class:`Job` and returns its result."""

        def register(handler: Handler) -> Handler:
            self._handlers[type] = handler
            return handler

        return register

    def stop(self) -> None:
        """Lets :meth:`run` end when the running jobs have ended. To be called in the event loop."""
        if self._stopping:
            self._stopping.set()

    async def run(self) -> None:
        """Works until SIGTERM, SIGINT, :meth:`stop`, or until an operator drains the worker.

        While the server is away, it tries again, and ends within a few seconds when told to: the claims on its jobs
        expire then.

        :raises ApiError: if the server refuses the worker, for example because of its token
        """
        if not self._handlers:
            raise ValueError("The worker has no handlers: decorate some with @worker.handler.")
        self._changed = asyncio.Event()
        self._stopping = asyncio.Event()
        self._http.on_change = self._notify
        loop = asyncio.get_running_loop()
        signals = []
        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                loop.add_signal_handler(number, self._stopping.set)
                signals.append(number)
            except (NotImplementedError, RuntimeError, ValueError):
                pass  # not the main thread, or Windows: the caller uses stop
        heartbeats = asyncio.ensure_future(self._heartbeats())
        try:
            await self._claim_until_stopped()
        finally:
            self._stopping.set()
            await self._end_jobs()
            heartbeats.cancel()
            for number in signals:
                loop.remove_signal_handler(number)
            await self._say_goodbye()
            await self._http.close()

    def _describe(self) -> Dict[str, Any]:
        return {
            "name": self._name,
            "id": self._id,
            "types": sorted(self._handlers),
            "host": socket.gethostname(),
            "version": _VERSION,
            "concurrency": self._concurrency,
            "running": len(self._tasks),
            "draining": bool(self._stopping and self._stopping.is_set()),
            "startedAt": self._started_at,
        }

    # Claims

    async def _claim_until_stopped(self) -> None:
        assert self._stopping and self._changed
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            while not stopping.done():
                free = self._concurrency - len(self._tasks)
                if free <= 0:
                    self._changed.clear()
                    await self._first(stopping, asyncio.ensure_future(self._changed.wait()))
                    continue
                request = {"requestId": str(uuid.uuid4()), "max": min(free, 100), "wait": from_seconds(_WAIT)}
                call = asyncio.ensure_future(self._claim(request))
                await self._first(stopping, call)
                if call.cancelled():
                    await self._release_unread(request)
                    return
                reply = await self._reply(call)
                for claim in reply["claims"]:
                    self._start(Job(self, claim))
                if reply["order"] == "drain":
                    self._stopping.set()
                elif reply["order"] == "quiet":
                    await self._first(stopping, asyncio.ensure_future(asyncio.sleep(_QUIET_PAUSE)))
        finally:
            stopping.cancel()

    @staticmethod
    async def _reply(call: asyncio.Future[Dict[str, Any]]) -> Dict[str, Any]:
        return await call

    @staticmethod
    async def _first(stopping: asyncio.Future[Any], other: asyncio.Future[Any]) -> None:
        """Waits for either, and cancels the other one if the worker is to stop."""
        try:
            await asyncio.wait({stopping, other}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not other.done():
                other.cancel()
                await asyncio.wait({other})

    async def _claim(self, request: Dict[str, Any]) -> Dict[str, Any]:
        body = {**request, "worker": self._describe()}
        reply: Dict[str, Any] = await self._http.send(
            "POST", "/v1/work/claims", body, timeout=_WAIT + 30, on_repeat={"repeated": True}
        )
        return reply

    async def _release_unread(self, request: Dict[str, Any]) -> None:
        """The server may have claimed jobs for a call that was given up."""
        if self._http.away_since is not None:
            return
        body = {**request, "wait": "PT0S", "repeated": True, "worker": self._describe()}
        try:
            reply = await self._http.send("POST", "/v1/work/claims", body, timeout=5, give_up_after=5)
            for claim in reply["claims"]:
                await Job(self, claim)._say("release", {})
        except (ApiError, ConnectionLost) as error:
            _LOG.warning("Claims could not be released, they expire: %s", error)

    # Jobs

    def _start(self, job: Job) -> None:
        self._tasks[job] = asyncio.ensure_future(self._run(job))
        self._notify()

    def _notify(self) -> None:
        assert self._changed
        self._changed.set()

    async def _run(self, job: Job) -> None:
        try:
            await self._run_handler(job)
        except LeaseLost as lost:
            _LOG.info("The claim on job %s of type %s does not hold: %s", job.id, job.type, lost.halt)
        except (ApiError, ConnectionLost) as error:
            _LOG.error("Job %s of type %s could not be ended, its claim expires: %s", job.id, job.type, error)
        finally:
            self._tasks.pop(job, None)
            self._notify()

    async def _run_handler(self, job: Job) -> None:
        try:
            result = await self._call_handler(job)
        except asyncio.CancelledError:
            if job.halt is None:
                raise
            if job.halt == "shutdown" and not job.has_ended:
                await job._say("release", {})
            return
        except LeaseLost:
            raise
        except Exception as error:  # a handler's errors are its own
            if not job.has_ended and job.halt in (None, "shutdown"):
                await self._fail(job, error)
            return
        if job.has_ended or job.halt not in (None, "shutdown"):
            return
        try:
            await job.finish(result)
        except (TypeError, ValueError, ApiError) as error:
            if isinstance(error, LeaseLost):
                raise
            await self._fail(job, PermanentFailure(f"The result cannot be stored: {error}"))

    async def _call_handler(self, job: Job) -> Any:
        try:
            return await self._handlers[job.type](job)
        finally:
            job._has_returned = True

    async def _fail(self, job: Job, error: Exception) -> None:
        _LOG.warning("Job %s of type %s has failed", job.id, job.type, exc_info=error)
        frames = traceback.format_exception(type(error), error, error.__traceback__)
        described = {
            "type": type(error).__qualname__[:300],
            "message": str(error)[:10_000],
            "stack": "".join(frames)[-20_000:],
        }
        retry = not isinstance(error, PermanentFailure)
        await job._say("fail", {"error": described, "retry": retry, "policy": self._retry})

    def _halt(self, job: Job, reason: str) -> None:
        task = self._tasks.get(job)
        if task and job.halt is None and not job.has_ended:
            job.halt = reason
            if not job._has_returned:  # otherwise the server is being told how the job ends
                task.cancel()

    # Heartbeats

    async def _heartbeats(self) -> None:
        assert self._changed
        loop = asyncio.get_running_loop()
        last = loop.time()
        while True:
            shortest = min((job.timeout for job in self._tasks), default=3 * _LONGEST_SILENCE)
            pause = last + min(_LONGEST_SILENCE, shortest / 4) - loop.time()
            if pause > 0:
                await asyncio.sleep(min(pause, 0.25))  # a job with a shorter timeout may start meanwhile
                continue
            last = loop.time()
            for some in _parts(list(self._tasks), 400):
                await self._renew(some, shortest)

    async def _renew(self, jobs: List[Job], shortest: float) -> None:
        body = {"worker": self._describe(), "claims": [job._held() for job in jobs]}
        try:
            reply = await self._http.send(
                "POST", "/v1/work/heartbeats", body, timeout=max(1.0, shortest / 4), give_up_after=shortest / 2
            )
        except ApiError as error:
            _LOG.warning("A heartbeat has failed: %s", error)
            return
        except ConnectionLost:
            return  # the log has it
        for job, claim in zip(jobs, reply["claims"]):
            if claim["result"] != "renewed":
                self._halt(job, claim["result"])
        if reply["order"] == "drain":
            self.stop()

    # The end

    async def _end_jobs(self) -> None:
        await self._settle(self._grace)
        halted = list(self._tasks)
        for job in halted:
            self._halt(job, "shutdown")
        await self._settle(_AFTER_HALT)
        for task in list(self._tasks.values()):
            task.cancel()
        held = sum(not job.has_ended and job.halt in (None, "shutdown") for job in halted)
        if held:
            _LOG.warning("The worker ends and leaves claims, which expire: %d.", held)

    async def _settle(self, seconds: float) -> None:
        """Waits for the jobs for a time, and a short one while the server is away: it does not learn of their ends."""
        assert self._changed
        loop = asyncio.get_running_loop()
        start = loop.time()
        while self._tasks:
            away_since = self._http.away_since
            end = start + seconds if away_since is None else min(start + seconds, max(start, away_since) + _AWAY_PAUSE)
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), end - loop.time())
            except asyncio.TimeoutError:
                return

    async def _say_goodbye(self) -> None:
        if self._http.away_since is not None:
            return
        try:
            await self._http.send(
                "POST", "/v1/work/workers/end", {"name": self._name, "id": self._id}, timeout=5, give_up_after=5
            )
        except (ApiError, ConnectionLost) as error:
            _LOG.info("The worker stays listed for a while: %s", error)


def _parts(jobs: List[Job], size: int) -> List[List[Job]]:
    return [jobs[i : i + size] for i in range(0, len(jobs), size)] or [[]]
