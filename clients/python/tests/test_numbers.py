import asyncio
import inspect
import unittest
from decimal import Decimal
from typing import Any, Callable, Dict, List

from couch_jobs import Client, Job, Worker

from .test_http import Server
from .test_worker import CLAIM

NAN, INFINITY = float("nan"), float("inf")
NO_NUMBERS: List[Any] = [None, "5", "", b"5", True, [], {}, object(), NAN, -INFINITY, -1, -(10**5000), Decimal("NaN")]
TOO_LARGE: List[Any] = [INFINITY, 10**400, 10**5000, 1e300, Decimal("1e400")]
NOT_WHOLE: List[Any] = [0.5, 1.0, Decimal(1)]


class NumbersTest(unittest.IsolatedAsyncioTestCase):
    async def test_a_number_that_no_call_takes_is_refused_before_anything_is_sent(self) -> None:
        async def never(number: int, writer: asyncio.StreamWriter) -> None:
            self.fail("A request was sent.")

        server = Server(never)
        async with server as url, Client(url) as client:
            job = Job(Worker(url), {**CLAIM, "dataText": "1"})
            topic = client.topic("t")
            group = topic.group("g")
            durations: Dict[str, Callable[[Any], Any]] = {"seconds": job.snooze, "wait": lambda n: topic.read(wait=n)}
            unlimited: Dict[str, Callable[[Any], Any]] = {
                "timeout": lambda n: client.result("t", "i", n),
                "grace": lambda n: Worker(url, grace=n),
                "give_up_after": lambda n: Worker(url, give_up_after=n),
                "give_up_after ": lambda n: Client(url, give_up_after=n),
            }
            counts: Dict[str, Callable[[Any], Any]] = {
                "concurrency": lambda n: Worker(url, concurrency=n),
                "done": job.progress,
                "total": lambda n: job.progress(1, n),
                "partitions": lambda n: topic.put(n),
                "partition": lambda n: topic.read(n),
                "limit": lambda n: topic.read(limit=n),
                "partition ": lambda n: topic.follow(partition=n),
                "limit ": group.poll,
                "partition  ": lambda n: group.poll(partition=n),
                "limit  ": group.batches,
                "partition   ": lambda n: group.seek("latest", n),
            }
            optional = {"timeout", "partition ", "partition  ", "partition   "}
            for name, call in {**durations, **unlimited, **counts}.items():
                bad = [*NO_NUMBERS, *([] if name in unlimited else TOO_LARGE), *(NOT_WHOLE if name in counts else [])]
                for value in bad:
                    if value is None and name in optional:
                        continue
                    with self.subTest(name, value=type(value)), self.assertRaises(ValueError) as raised:
                        await _made(call(value))
                    self.assertRegex(str(raised.exception), f"^{name.strip()} is a ")
        self.assertEqual(server.requests, [])

    async def test_what_a_number_of_the_callers_raises_is_raised(self) -> None:
        class Broken:
            def __float__(self) -> float:
                raise LookupError("no number")

        with self.assertRaisesRegex(LookupError, "no number"):
            job = Job(Worker("http://127.0.0.1:1"), {**CLAIM, "dataText": "1"})
            await job.snooze(Broken())  # type: ignore[arg-type]


async def _made(call: Any) -> None:
    if inspect.isasyncgen(call):
        await call.__anext__()
    elif inspect.isawaitable(call):
        await call


if __name__ == "__main__":
    unittest.main()
