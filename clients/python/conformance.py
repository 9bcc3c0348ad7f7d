"""The program of the conformance suite: see rfc/032-worker-protocol.md."""

import asyncio
import datetime
import decimal
import os
import threading
from typing import Any, Awaitable, Callable, List, Set

from couch_jobs import ApiError, Client, Job, LeaseLost, PermanentFailure, Worker

URL = os.environ["COUCH_JOBS_URL"]
worker = Worker(
    URL,
    name=os.environ["COUCH_JOBS_WORKER"],
    concurrency=int(os.environ.get("COUCH_JOBS_CONCURRENCY", "8")),
    grace=1,
    give_up_after=int(os.environ.get("COUCH_JOBS_GIVE_UP_AFTER", "30000")) / 1000,
    retry={"initialDelay": "PT0S"},
)
client = Client(URL)
running = 0


@worker.handler("echo")
async def echo(job: Job):
    return job.data


@worker.handler("fail-once")
async def fail_once(job: Job):
    if job.attempt == 1:
        raise ValueError("first")
    return job.attempt


@worker.handler("fail-forever")
async def fail_forever(job: Job):
    raise PermanentFailure("never")


@worker.handler("snooze")
async def snooze(job: Job):
    if job.checkpoint is None:
        await job.snooze(1, checkpoint=1)
    return "awake"


@worker.handler("resume")
async def resume(job: Job):
    steps = job.data["steps"]
    start = job.checkpoint or 0
    for step in range(start, steps):
        if job.attempt == 1 and step == steps // 2:
            raise ValueError("half")
        await job.log({"step": step})
        await job.progress(step + 1, steps)
        await job.save_checkpoint(step + 1)
    return start


@worker.handler("follow")
async def follow(job: Job):
    await job.finish("followed", jobs=[job.data])


@worker.handler("slow")
async def slow(job: Job):
    await job.progress(0, 1)
    await asyncio.sleep(job.data["millis"] / 1000)
    return "slow"


@worker.handler("wait")
async def wait(job: Job):
    try:
        await job.progress(0, 1)
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        await client.add("seen", job.halt, id=job.id)
        raise


@worker.handler("lost")
async def lost(job: Job):
    if job.claim > 1:
        return "again"
    refused = False
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        try:
            await job.finish("lost", jobs=[{"type": "never", "id": job.id, "data": 1}])
        except LeaseLost:
            refused = True
        await client.add("seen", refused, id=job.id)
        raise


@worker.handler("together")
async def together(job: Job):
    global running
    running += 1
    while running < job.data:
        await asyncio.sleep(0.01)
    return "together"


@worker.handler("give-up")
async def give_up(job: Job):
    await job.cancel("enough")


class BrokenText(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class NoText(Exception):
    def __str__(self) -> str:
        return 1  # type: ignore[return-value]


class BrokenDict(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        raise SystemError("no items")


class Ending(list):  # type: ignore[type-arg]
    """A list whose code would end the program."""

    def __init__(self, error: BaseException) -> None:
        super().__init__([1])
        self.error = error

    def __iter__(self) -> Any:
        raise self.error


class Endless(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        while True:
            yield None


def circle() -> Any:
    members: List[Any] = []
    members.append(members)
    return members


def abyss() -> Any:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    return value


def endless() -> BaseException:
    return endless()


ODD_VALUES: List[Callable[[], Any]] = [
    object,
    circle,
    abyss,
    lambda: {1},
    lambda: [b"bytes"],
    lambda: float("nan"),
    lambda: [float("-inf")],
    lambda: {(1, 2): 3},
    lambda: {1: 2},
    lambda: Ending(SystemExit(3)),
    lambda: [Ending(KeyboardInterrupt())],
    lambda: Ending(RecursionError()),
    lambda: Endless(),
    lambda: 10**5000,
    lambda: BrokenDict(a=1),
    lambda: (i for i in range(3)),
    lambda: datetime.timezone.utc,
    lambda: decimal.Decimal("NaN"),
    lambda: ValueError("returned"),
    lambda: Job,
]
ODD_ERRORS: List[Callable[[], BaseException]] = [
    BrokenText,
    NoText,
    StopIteration,
    StopAsyncIteration,
    GeneratorExit,
    RecursionError,
    MemoryError,
    asyncio.CancelledError,
    asyncio.TimeoutError,
    endless,
    lambda: SystemExit(3),
    KeyboardInterrupt,
    lambda: ValueError("\ud800\0"),
    lambda: ValueError("long" * 100_000),
    lambda: type("", (Exception,), {})(),
    lambda: type("L" * 400, (Exception,), {})(),
    lambda: OSError(32, "Broken pipe"),
    lambda: LeaseLost(409, {"halt": "lost"}),
    lambda: ApiError(500, {}),
    lambda: ApiError(400, {"type": 1, "detail": ["no text"]}),
]

ODD_ARGUMENTS: List[Callable[[Job], Awaitable[None]]] = [
    lambda job: job.snooze(-1),
    lambda job: job.snooze(float("nan")),
    lambda job: job.snooze(float("inf")),
    lambda job: job.snooze(10**400),
    lambda job: job.snooze("5"),  # type: ignore[arg-type]
    lambda job: job.progress(-1),
    lambda job: job.progress(float("nan")),  # type: ignore[arg-type]
    lambda job: job.progress(1, 10**30),
    lambda job: client.result(job.type, job.id, -1),
    lambda job: client.topic("t").read(wait=float("inf")),
]


async def raises(error: BaseException) -> None:
    raise error


def left_behind(error: BaseException) -> None:
    kept.add(asyncio.ensure_future(raises(error)))


def raising(error: BaseException) -> Callable[..., None]:
    def throw(*_: object) -> None:
        raise error

    return throw


kept: Set[Any] = set()

# What a handler leaves behind: nobody awaits it.
STRAYS: List[Callable[[Job], Any]] = [
    lambda job: left_behind(ValueError("stray")),
    lambda job: kept.add(asyncio.ensure_future(job.log(object()))),
    lambda job: kept.add(asyncio.ensure_future(job.progress(-1))),
    lambda job: kept.add(asyncio.ensure_future(job.finish(object()))),
    lambda job: left_behind(asyncio.CancelledError()),
    lambda job: asyncio.get_running_loop().call_soon(raising(ValueError("stray"))),
    lambda job: asyncio.get_running_loop().run_in_executor(None, raising(ValueError("stray"))),
    lambda job: threading.Thread(target=raising(SystemExit(3))).start(),
    lambda job: asyncio.current_task().add_done_callback(raising(ValueError("stray"))),
    lambda job: asyncio.current_task().cancel(),
]

# What a program does when its job is lost.
LISTENERS: List[BaseException] = [
    ValueError("listener"),
    SystemExit(3),
    KeyboardInterrupt(),
    GeneratorExit(),
]


async def cancel_own() -> None:
    task = asyncio.ensure_future(asyncio.sleep(3600))
    task.cancel()
    await task


@worker.handler("outcome")
async def outcome(job: Job):
    kind = job.data["as"]
    if kind == "text":
        return "x" * job.data["length"]
    if kind == "error":
        raise ValueError("told")
    if kind == "cancellation":
        await cancel_own()
    if kind == "payload-text":
        return job.data_text
    if kind == "odd-value":
        n = job.data["n"]
        return ODD_VALUES[n]() if n < len(ODD_VALUES) else "no more"
    if kind == "stray" and job.data["n"] < len(STRAYS):
        STRAYS[job.data["n"]](job)
        await asyncio.sleep(0.05)
        return "left"
    if kind == "listener" and job.data["n"] < len(LISTENERS):
        try:
            await asyncio.sleep(3600)
        finally:
            raise LISTENERS[job.data["n"]]
    if kind == "odd-argument" and job.data["n"] < len(ODD_ARGUMENTS):
        await ODD_ARGUMENTS[job.data["n"]](job)
        return "it was taken"
    if kind == "odd-error" and job.data["n"] < len(ODD_ERRORS):
        raise ODD_ERRORS[job.data["n"]]()
    return "no more"


@worker.handler("plain")
def plain(job: Job):
    if job.data == "error":
        raise ValueError("told")
    return job.data


asyncio.run(worker.run())
