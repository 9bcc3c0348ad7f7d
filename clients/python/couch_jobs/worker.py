"""A worker: claims jobs, runs handlers, and ends the jobs."""

from __future__ import annotations

import asyncio
import base64
import contextvars
import datetime
import inspect
import os
import signal
import socket
import ssl
import threading
import traceback
import uuid
from typing import Any, Callable, Coroutine, Dict, List, NamedTuple, Optional, Tuple

from . import _log
from ._http import Http, is_temporary
from ._json import encode
from ._numbers import count, patience, seconds as duration
from ._path import segment
from ._time import from_seconds, to_seconds
from .errors import ApiError, ConnectionLost, LeaseLost, NotJson, PermanentFailure, is_a, name_of, text_of

Handler = Callable[["Job"], Any]

_WAIT = 20.0
_QUIET_PAUSE = 2.0
_LONGEST_SILENCE = 20.0
_AFTER_HALT = 10.0
_AWAY_PAUSE = 2.0
_LONGEST_TRY = 30.0
_LONGEST_OUTAGE = 600.0
_AT_THE_END = 5.0
_CONCURRENCY_MAX = 1_000_000  # what the server takes
_REFUSALS = (ApiError, ConnectionLost, NotJson)
_VERSION = "python 0.1.0"


class _Outcome(NamedTuple):
    """What a handler has returned or raised."""

    result: Any = None
    error: Optional[BaseException] = None


class Job:
    """A job that this worker holds.

    If the worker loses the job, ``halt`` says why, and a handler that is an async function sees
    ``asyncio.CancelledError``. What it writes afterwards with this object is refused with :class:`LeaseLost`.

    A verb is repeated on lost connections, 408, 429 and 5xx, without a second effect, as long as ``give_up_after`` of
    the worker says. Then it raises the last :class:`ApiError` or :class:`ConnectionLost`.
    """

    def __init__(self, worker: Worker, claim: Dict[str, Any]) -> None:
        self._worker = worker
        self._lock: str = claim["lock"]
        self.type: str = claim["type"]
        self.id: str = claim["id"]
        is_json = "dataBytes" not in claim
        self.data: Any = claim["data"] if is_json else base64.b64decode(claim["dataBytes"])
        """The payload; ``bytes`` if it is no JSON. Numbers that a float does not hold are :class:`ExactFloat`."""
        self.data_text: str = claim["dataText"] if is_json else ""
        """The text of the payload, in JSON; empty if it is no JSON."""
        self.media_type: str = "application/json" if is_json else claim["dataMediaType"]
        """What the payload is."""
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
        self._handler: Optional[asyncio.Future[_Outcome]] = None
        self._ends = asyncio.Lock()

    @property
    def _is_held(self) -> bool:
        """Whether the claim is still to be ended, as far as the worker has been told."""
        return not self.has_ended and self.halt in (None, "shutdown")

    def _held(self) -> Dict[str, str]:
        return {"type": self.type, "id": self.id, "lock": self._lock}

    async def _end(self, verb: str, body: Dict[str, Any]) -> None:
        """One end after the other: the server takes a second one for a repetition of the first."""
        async with self._ends:
            await self._say(verb, body)

    async def _say(self, verb: str, body: Dict[str, Any], give_up_after: Optional[float] = None) -> None:
        path = f"/v1/work/types/{segment(self.type)}/jobs/{segment(self.id)}/{verb}"
        if self.has_ended:
            # The server would take it for a repetition, and leave out what it says.
            raise LeaseLost(409, {"halt": "ended", "detail": "A verb of this object has ended the job."})
        sent = {"lock": self._lock, **{name: value for name, value in body.items() if value is not None}}
        key = str(uuid.uuid4()) if verb == "update" else None  # an end is repeatable by its lock
        patience = self._worker._give_up_after if give_up_after is None else give_up_after
        try:
            await self._worker._http.send(
                "POST",
                path,
                sent,
                key=key,
                timeout=min(_LONGEST_TRY, patience),
                give_up_after=patience,
                outage=_LONGEST_OUTAGE if give_up_after is None else 0.0,
            )
        except LeaseLost as lost:
            if self._is_held:
                self.halt = lost.halt
            raise
        if verb != "update":
            self.has_ended = True

    def wait(self, verb: Coroutine[Any, Any, Any]) -> Any:
        """Runs a verb for a handler that is a plain function, as in ``job.wait(job.log("half"))``.

        :raises RuntimeError: in an async function, which awaits the verb instead
        """
        assert self._worker._loop
        if threading.get_ident() == self._worker._loop_thread:
            verb.close()
            raise RuntimeError("Job.wait is for handlers that are plain functions: await the verb in an async one.")
        return asyncio.run_coroutine_threadsafe(verb, self._worker._loop).result()

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
        await self.update(progress={"done": count("done", done, 0), "total": count("total", total, 0), "text": text})

    async def save_checkpoint(self, checkpoint: Any) -> None:
        """Stores from where the next attempt may go on."""
        await self.update(checkpoint=checkpoint)
        self.checkpoint = checkpoint

    async def finish(self, result: Any = None, **report: Any) -> None:
        """Ends the job with a result and a report, such as ``jobs`` to add, in one transaction.

        A handler that only has a result returns it instead.

        :param result: what JSON has, or ``bytes``, which ``resultMediaType`` in the report may describe
        """
        await self._end("finish", {"result": result, **report})

    async def snooze(self, seconds: float, **report: Any) -> None:
        """Makes the job pending again, due after that time. It is no failure. The handler should return.

        :raises ValueError: if it is no number from 0 to 36,500 days
        """
        await self._end("snooze", {"time": from_seconds(duration("seconds", seconds)), **report})

    async def cancel(self, reason: str = "", **report: Any) -> None:
        """Ends the job as cancelled. The handler should return."""
        await self._end("cancel", {"reason": reason, **report})


class Worker:
    """Runs handlers for jobs, several at a time, in one event loop.

    :param url: the address of the server
    :param name: by which operators see and steer the worker
    :param concurrency: how many jobs it runs at once
    :param grace: how many seconds a job may go on after SIGTERM; then it is cancelled and released
    :param give_up_after: for how many seconds a verb is repeated that the server does not answer well. An outage, in
        which the server answers nobody, does not count for up to ten minutes
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
        give_up_after: float = 30.0,
        token: Optional[str] = None,
        ca_file: Optional[str] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
        retry: Optional[Dict[str, Any]] = None,
    ) -> None:
        self._http = Http(url, token, ssl_context, ca_file)
        self._handlers: Dict[str, Handler] = {}
        self._name = name or f"{socket.gethostname()}-{os.getpid()}"
        self._id = str(uuid.uuid4())
        self._concurrency = count("concurrency", concurrency, 1, _CONCURRENCY_MAX)
        self._grace = patience("grace", grace)
        self._give_up_after = patience("give_up_after", give_up_after)
        encode(retry)  # it is sent with a failure, which nothing should keep from the server
        self._retry = retry
        self._started_at = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._loop_thread: Optional[int] = None
        self._tasks: Dict[Job, asyncio.Task[None]] = {}
        self._changed: Optional[asyncio.Event] = None
        self._stopping: Optional[asyncio.Event] = None
        self._has_sigint = False

    def handler(self, type: str) -> Callable[[Handler], Handler]:
        """Decorates the handler of a type: a function that takes a :class:`Job` and returns its result.

        An async function runs in the event loop. A plain one runs in a thread of its own, so that it may block; it
        calls the verbs of the job with :meth:`Job.wait`, and looks at ``job.halt`` if it runs for long.
        """

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
        self._loop = loop
        self._loop_thread = threading.get_ident()
        signals: List[int] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                loop.add_signal_handler(number, self._stopping.set)
                signals.append(number)
            except (NotImplementedError, RuntimeError, ValueError):
                pass  # not the main thread, or Windows: the caller uses stop
        self._has_sigint = signal.SIGINT in signals
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
                order, jobs = await self._reply(call)
                for job in jobs:
                    self._start(job)
                if order == "drain":
                    self._stopping.set()
                elif order == "quiet":
                    await self._first(stopping, asyncio.ensure_future(asyncio.sleep(_QUIET_PAUSE)))
        finally:
            stopping.cancel()

    @staticmethod
    async def _reply(call: asyncio.Future[Tuple[str, List[Job]]]) -> Tuple[str, List[Job]]:
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

    def _claims(self, reply: Any) -> Tuple[str, List[Job]]:
        return reply["order"], [Job(self, claim) for claim in reply["claims"]]

    async def _claim(self, request: Dict[str, Any]) -> Tuple[str, List[Job]]:
        body = {**request, "worker": self._describe()}
        claimed: Tuple[str, List[Job]] = await self._http.send(
            "POST", "/v1/work/claims", body, timeout=_WAIT + 30, on_repeat={"repeated": True}, read=self._claims
        )
        return claimed

    async def _release_unread(self, request: Dict[str, Any]) -> None:
        """The server may have claimed jobs for a call that was given up."""
        if self._http.away_since is not None:
            return
        body = {**request, "wait": "PT0S", "repeated": True, "worker": self._describe()}
        try:
            _, jobs = await self._http.send(
                "POST", "/v1/work/claims", body, timeout=_AT_THE_END, give_up_after=_AT_THE_END, read=self._claims
            )
            for job in jobs:
                await job._say("release", {}, _AT_THE_END)
        except (ApiError, ConnectionLost) as error:
            _log.warning("Claims could not be released, they expire: %s", error)

    # Jobs

    def _start(self, job: Job) -> None:
        job._handler = asyncio.ensure_future(self._call_handler(job))
        self._tasks[job] = asyncio.ensure_future(self._run(job, job._handler))
        self._notify()

    def _notify(self) -> None:
        assert self._changed
        self._changed.set()

    async def _run(self, job: Job, handler: asyncio.Future[_Outcome]) -> None:
        try:
            await asyncio.wait({handler})
            outcome = _Outcome(error=asyncio.CancelledError()) if handler.cancelled() else handler.result()
            if job._is_held:
                await self._end(job, outcome)
        except LeaseLost as lost:
            _log.info("The claim on job %s of type %s does not hold: %s", job.id, job.type, lost.halt)
        except asyncio.CancelledError:  # the worker or its loop ends
            handler.cancel()
            await self._release(job)
        except Exception as error:
            _log.error("Job %s of type %s could not be ended, its claim expires: %s", job.id, job.type, text_of(error))
        finally:
            self._tasks.pop(job, None)
            self._notify()

    async def _call_handler(self, job: Job) -> _Outcome:
        try:
            handler = self._handlers[job.type]
            if inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(getattr(handler, "__call__", None)):
                return _Outcome(await handler(job))
            result, error = await self._in_thread(handler, job)
            return _Outcome(await result if inspect.isawaitable(result) else result, error)
        except BaseException as error:  # a handler's errors are its own, also SystemExit and a cancellation by itself
            if is_a(error, KeyboardInterrupt) and not self._has_sigint:
                raise  # it may be Ctrl-C
            return _Outcome(error=error)

    @staticmethod
    async def _in_thread(handler: Handler, job: Job) -> _Outcome:
        """The thread is a daemon, so that one that does not end keeps no process."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[_Outcome] = loop.create_future()
        context = contextvars.copy_context()

        def run() -> None:
            try:
                outcome = _Outcome(context.run(handler, job))
            except BaseException as error:
                outcome = _Outcome(error=error)
            try:
                loop.call_soon_threadsafe(ended.set_result, outcome)
            except RuntimeError:
                pass  # the loop is closed

        threading.Thread(target=run, name=f"couch-jobs {job.type}", daemon=True).start()
        try:
            await asyncio.wait({ended})
        except asyncio.CancelledError:
            if job.halt is None:
                raise
            await asyncio.wait({ended})  # the slot is taken until the thread ends
        return ended.result()

    async def _end(self, job: Job, outcome: _Outcome) -> None:
        """Says what the handler has done, or that the server does not take it."""
        if outcome.error is None:
            try:
                await job.finish(outcome.result)
            except LeaseLost:
                raise
            except _REFUSALS as refused:
                if job._is_held:
                    await self._fail(job, _not_stored(refused))
        elif job.halt == "shutdown":
            await job._end("release", {})
        else:
            await self._fail(job, outcome.error)

    async def _fail(self, job: Job, error: BaseException) -> None:
        _log.warning("Job %s of type %s has failed", job.id, job.type, exc_info=error)
        described = _describe(error)
        retry = not is_a(error, PermanentFailure)
        try:
            await job._end("fail", {"error": described, "retry": retry, "policy": self._retry})
        except LeaseLost:
            raise
        except _REFUSALS as refused:
            if job._is_held:
                await job._end("fail", {"error": _brief(described, refused), "retry": retry})

    async def _release(self, job: Job) -> None:
        if job._is_held and self._http.away_since is None:
            try:
                await job._say("release", {}, _AT_THE_END)
            except _REFUSALS:
                pass  # the claim expires

    def _halt(self, job: Job, reason: str) -> None:
        if job._is_held and job.halt is None:
            job.halt = reason
            if job._handler:
                job._handler.cancel()

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
            order, results = await self._http.send(
                "POST",
                "/v1/work/heartbeats",
                body,
                timeout=max(1.0, shortest / 4),
                give_up_after=shortest / 2,
                read=lambda reply: (reply["order"], [str(claim["result"]) for claim in reply["claims"]]),
            )
        except ApiError as error:
            _log.warning("A heartbeat has failed: %s", error)
            return
        except ConnectionLost:
            return  # the log has it
        for job, result in zip(jobs, results):
            if result != "renewed":
                self._halt(job, result)
        if order == "drain":
            self.stop()

    # The end

    async def _end_jobs(self) -> None:
        await self._settle(self._grace)
        halted = list(self._tasks)
        for job in halted:
            self._halt(job, "shutdown")
        await self._settle(_AFTER_HALT)
        left = list(self._tasks.values())
        for task in left:
            task.cancel()  # which releases the job
        if left:
            await asyncio.wait(left)
        held = sum(job._is_held for job in halted)
        if held:
            _log.warning("The worker ends and leaves claims, which expire: %d.", held)

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
                "POST",
                "/v1/work/workers/end",
                {"name": self._name, "id": self._id},
                timeout=_AT_THE_END,
                give_up_after=_AT_THE_END,
            )
        except (ApiError, ConnectionLost) as error:
            _log.info("The worker stays listed for a while: %s", error)


def _parts(jobs: List[Job], size: int) -> List[List[Job]]:
    return [jobs[i : i + size] for i in range(0, len(jobs), size)] or [[]]


def _not_stored(refused: Exception) -> Exception:
    """The failure of a job whose result the server does not take."""
    failure = ConnectionLost if is_temporary(refused) else PermanentFailure
    error = failure(f"The result cannot be stored: {refused}")
    error.__cause__ = refused
    return error


def _message(error: BaseException) -> str:
    if is_a(error, asyncio.CancelledError):
        return text_of(error) or "The handler has awaited what its own code has cancelled."
    return text_of(error)


def _describe(error: BaseException) -> Dict[str, str]:
    try:
        stack = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except BaseException:  # of the error's class
        stack = ""
    described = {"type": name_of(error)[:300], "message": _message(error)[:10_000], "stack": stack[-20_000:]}
    described["type"] = described["type"] or "Exception"
    return {name: text.encode("utf-8", "backslashreplace").decode() for name, text in described.items()}


def _brief(described: Dict[str, str], refused: Exception) -> Dict[str, str]:
    """A failure that is told in brief, as the server has not taken its description."""
    message = f"{described['message'][:300]} (The server did not take more: {str(refused)[:300]})"
    return {"type": _plain(described["type"])[:300], "message": _plain(message)}


def _plain(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode()
