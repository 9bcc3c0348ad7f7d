import asyncio
import io
import itertools
import json
import logging
import sys
import threading
import unittest
from typing import Any, Awaitable, Callable, List, cast
from unittest import mock

from couch_jobs import ApiError, Job, LeaseLost, NotJson, PermanentFailure, Worker
from couch_jobs._json import encode

from .test_http import Server, reply

CLAIM = {"type": "mail", "id": "a", "lock": "l", "data": 1, "claim": 1, "attempt": 1, "headers": {}, "timeout": "PT30S"}
NO_CLAIMS = reply(200, '{"order": "drain", "claims": []}')


class WorkerTest(unittest.IsolatedAsyncioTestCase):
    def on_line(self, act: Callable[[], None]) -> None:
        """Acts when the worker logs a line."""

        def seen(record: logging.LogRecord) -> bool:
            act()
            return True

        logging.getLogger("couch_jobs").addFilter(seen)
        self.addCleanup(logging.getLogger("couch_jobs").removeFilter, seen)

    async def test_the_log_gets_one_line_of_an_outage_and_one_of_its_end(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            if number <= 4:
                raise ConnectionError
            writer.write(NO_CLAIMS)

        async with Server(answer) as url:
            worker = _worker(url)
            with self.assertLogs("couch_jobs", "INFO") as log:
                await worker.run()
        away, back = [record.getMessage() for record in log.records]
        self.assertEqual(away, f"The server {url} is away: the connection was closed. Trying again.")
        self.assertEqual(back, f"The server {url} answers again.")

    async def test_the_cause_of_an_outage_is_plain(self) -> None:
        async with Server(_never) as url:
            pass
        worker = _worker(url)
        self.on_line(worker.stop)
        with self.assertLogs("couch_jobs") as log:
            await asyncio.wait_for(worker.run(), 5)
        messages = [record.getMessage() for record in log.records]
        self.assertEqual(messages, [f"The server {url} is away: Connection refused. Trying again."])

    async def test_a_worker_ends_soon_while_the_server_is_away(self) -> None:
        halts: List[object] = []
        async with Server(_one_claim) as url:
            worker = Worker(url, concurrency=1, grace=60)

            @worker.handler("mail")
            async def endless(job: Job) -> None:
                try:
                    await job.log("never arrives")
                finally:
                    halts.append(job.halt)

            self.on_line(worker.stop)
            with self.assertLogs("couch_jobs") as log:
                await asyncio.wait_for(worker.run(), 10)
        self.assertEqual(halts, ["shutdown"])
        self.assertRegex(log.records[-1].getMessage(), "leaves claims, which expire: 1")

    async def test_of_two_ends_at_once_the_first_holds_and_the_other_one_raises(self) -> None:
        verbs: List[Callable[[Job], Awaitable[None]]] = [
            lambda job: job.finish(1),
            lambda job: job.finish({"other": 1}),
            lambda job: job.snooze(1),
            lambda job: job.cancel("no"),
        ]
        for first, second in itertools.product(verbs, verbs):
            results: List[object] = []

            async def answer(number: int, writer: asyncio.StreamWriter) -> None:
                writer.write(reply(200, json.dumps({"order": "drain", "claims": [CLAIM] if number == 1 else []})))

            async with Server(answer) as url:
                worker = Worker(url)

                @worker.handler("mail")
                async def both(job: Job) -> None:
                    results.extend(await asyncio.gather(first(job), second(job), return_exceptions=True))

                await asyncio.wait_for(worker.run(), 10)
            self.assertIsNone(results[0])
            self.assertIsInstance(results[1], LeaseLost)

    async def test_an_end_that_is_refused_leaves_the_job_to_the_next_one(self) -> None:

        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            writer.write(reply(200, json.dumps({"order": "drain", "claims": [CLAIM] if number == 1 else []})))

        async with Server(answer) as url:
            worker = Worker(url)
            results: List[object] = []

            @worker.handler("mail")
            async def both(job: Job) -> None:
                ends = job.finish(object()), job.finish("good")
                results.extend(await asyncio.gather(*ends, return_exceptions=True))

            await asyncio.wait_for(worker.run(), 10)
        self.assertIsInstance(results[0], NotJson)
        self.assertIsNone(results[1])

    async def test_a_task_that_ends_the_program_gives_the_claims_back_first(self) -> None:
        for error in ("SystemExit(3)", "KeyboardInterrupt()"):
            verbs: List[str] = []

            async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                while line := await reader.readline():
                    verbs.append(line.decode().split()[1].split("/")[-1])
                    length = 0
                    while (header := await reader.readline()).strip():
                        if header.lower().startswith(b"content-length"):
                            length = int(header.split(b":")[1])
                    await reader.readexactly(length)
                    if verbs[-1] == "claims" and len(verbs) > 1:
                        continue
                    writer.write(reply(200, json.dumps({"order": "run", "claims": [CLAIM, {**CLAIM, "id": "b"}]})))
                writer.close()

            server = await asyncio.start_server(handle, "127.0.0.1", 0)
            program = f"""
import asyncio
import io
from couch_jobs import Worker
async def end():
    raise {error}
async def main():
    worker = Worker("http://127.0.0.1:{server.sockets[0].getsockname()[1]}", grace=0)
    @worker.handler("mail")
    async def handle(job):
        if job.id == "b":
            task = asyncio.ensure_future(end())
        await asyncio.sleep(3600)
    await worker.run()
asyncio.run(main())
"""
            child = await asyncio.create_subprocess_exec(
                sys.executable, "-c", program, stderr=asyncio.subprocess.DEVNULL
            )
            await asyncio.wait_for(child.wait(), 30)
            server.close()
            self.assertEqual(verbs.count("release"), 2, error)

    async def test_a_job_whose_handler_returned_in_time_ends_though_the_grace_is_over(self) -> None:
        jobs: List[Job] = []

        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            if number == 1:
                await _one_claim(number, writer)
                return
            if number == 2:  # that the job has finished
                worker.stop()
                while jobs[0].halt is None:
                    await asyncio.sleep(0)
            writer.write(reply(200, "{}"))

        async with Server(answer) as url:
            worker = Worker(url, concurrency=1, grace=0)

            @worker.handler("mail")
            async def brief(job: Job) -> None:
                jobs.append(job)

            await asyncio.wait_for(worker.run(), 10)
        self.assertEqual([(job.halt, job.has_ended) for job in jobs], [("shutdown", True)])

    async def test_a_job_that_has_ended_is_not_ended_again(self) -> None:
        verbs: List[str] = []
        refusals: List[str] = []

        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            verbs.append(server.requests[-1].split(" ")[1].rpartition("/")[2])
            claims, order = ([CLAIM], "drain") if number == 1 else ([], "run")
            writer.write(reply(200, json.dumps({"order": order, "claims": claims})))

        server = Server(answer)
        async with server as url:
            worker = Worker(url, concurrency=1)

            @worker.handler("mail")
            async def twice(job: Job) -> int:
                await job.finish(1)
                for verb in (job.finish(2), job.snooze(1), job.cancel("no"), job.update(log=[1])):
                    try:
                        await verb
                    except LeaseLost as lost:
                        refusals.append(lost.halt)
                return 3

            await asyncio.wait_for(worker.run(), 10)
        self.assertEqual(refusals, ["ended"] * 4)
        self.assertEqual(verbs, ["claims", "finish", "end"])

    async def test_a_payload_that_is_no_json_is_bytes(self) -> None:
        payloads: List[object] = []
        claim = {**CLAIM, "dataBytes": "AP/ACg==", "dataMediaType": "image/png"}
        del claim["data"]

        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            if number > 1:
                worker.stop()
            writer.write(reply(200, json.dumps({"order": "run", "claims": [claim] if number == 1 else []})))

        async with Server(answer) as url:
            worker = Worker(url, concurrency=1)

            @worker.handler("mail")
            async def handle(job: Job) -> None:
                payloads.append((job.data, job.data_text, job.media_type))

            await asyncio.wait_for(worker.run(), 10)
        self.assertEqual(payloads, [(b"\x00\xff\xc0\n", "", "image/png")])

    async def test_a_plain_function_does_not_block_the_others(self) -> None:
        ends: List[object] = []
        other_runs = threading.Event()

        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            if number == 1:
                claims = [CLAIM, {**CLAIM, "type": "other", "id": "b"}]
                writer.write(reply(200, json.dumps({"order": "run", "claims": claims})))
                return
            ends.append(server.requests[-1].split(" ")[1].rpartition("/")[2])
            if ends.count("finish") == 2:
                worker.stop()
            writer.write(reply(200, '{"order": "run", "claims": []}'))

        server = Server(answer)
        async with server as url:
            worker = Worker(url, concurrency=2)

            @worker.handler("mail")
            def plain(job: Job) -> str:
                other_runs.wait()  # in the loop, this would never end
                job.wait(job.log("half"))
                return "done"

            @worker.handler("other")
            async def other(job: Job) -> None:
                with self.assertRaisesRegex(RuntimeError, "await the verb"):
                    job.wait(job.log("in the loop"))
                other_runs.set()

            await asyncio.wait_for(worker.run(), 10)
        self.assertEqual(sorted(end for end in ends if end in ("finish", "update")), ["finish", "finish", "update"])

    async def test_a_plain_function_that_does_not_end_is_released_at_the_end(self) -> None:
        verbs: List[str] = []
        left = threading.Event()
        self.addCleanup(left.set)

        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            if number == 1:
                await _one_claim(number, writer)
                return
            verbs.append(server.requests[-1].split(" ")[1].rpartition("/")[2])
            writer.write(reply(200, "{}"))

        server = Server(answer)
        async with server as url:
            worker = Worker(url, concurrency=1, grace=0)

            @worker.handler("mail")
            def endless(job: Job) -> None:
                job._worker._loop.call_soon_threadsafe(worker.stop)  # type: ignore[union-attr]
                left.wait()

            with mock.patch("couch_jobs.worker._AFTER_HALT", 0.0), self.assertLogs("couch_jobs", "INFO"):
                logging.getLogger("couch_jobs").info("at least one line")
                await asyncio.wait_for(worker.run(), 10)
        self.assertEqual(verbs, ["release", "end"])

    async def test_what_the_log_of_a_program_raises_changes_no_result(self) -> None:
        def broken() -> None:
            raise ValueError("broken filter")

        verbs: List[str] = []

        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            if number == 1:
                await _one_claim(number, writer)
                return
            verbs.append(server.requests[-1].split(" ")[1].rpartition("/")[2])
            worker.stop()
            writer.write(reply(200, '{"order": "run", "claims": []}'))

        self.on_line(broken)
        server = Server(answer)
        async with server as url:
            worker = Worker(url, concurrency=1)

            @worker.handler("mail")
            async def failing(job: Job) -> None:
                raise ValueError("told")

            await asyncio.wait_for(worker.run(), 10)
        self.assertEqual(verbs, ["fail", "end"])

    async def test_whatever_an_error_does_the_claim_ends_with_it(self) -> None:
        lines = io.StringIO()
        log = logging.StreamHandler(lines)
        log.setFormatter(logging.Formatter("%(message)s"))
        logging.getLogger("couch_jobs").addHandler(log)
        self.addCleanup(logging.getLogger("couch_jobs").removeHandler, log)
        worker = Worker("http://127.0.0.1:1")
        worker._has_sigint = True
        with mock.patch.object(logging, "raiseExceptions", False):
            for kind in ERRORS:
                for method in OF_ERRORS + OF_CLASSES:
                    for raised in (RuntimeError, AttributeError, RecursionError, SystemExit, KeyboardInterrupt):
                        error = _odd_error(kind, method, raised)
                        for handler in (_raising(error), _raising_later(error)):
                            with self.subTest(kind=kind.__name__, method=method, raised=raised.__name__):
                                await self._assert_fails(worker, handler, kind)
        self.assertIn("has failed", lines.getvalue())

    async def _assert_fails(self, worker: Worker, handler: Callable[[Job], Any], kind: type) -> None:
        said: List[Any] = []

        async def end(verb: str, body: Any) -> None:
            said.append((verb, body["retry"], json.loads(encode(body["error"]))))

        worker.handler("mail")(handler)
        job = Job(worker, {**CLAIM, "dataText": "1"})
        with mock.patch.object(job, "_end", end):
            await worker._end(job, await worker._call_handler(job))
        ((verb, retry, error),) = said
        self.assertEqual((verb, retry), ("fail", kind is not PermanentFailure))
        self.assertEqual(error["type"], "Odd")
        self.assertIn("message", error)

    async def test_a_refused_worker_ends(self) -> None:
        async def answer(number: int, writer: asyncio.StreamWriter) -> None:
            writer.write(reply(401, '{"type": "urn:couch-jobs:problem:unauthenticated", "detail": "Send a token."}'))

        async with Server(answer) as url:
            with self.assertRaisesRegex(ApiError, "401: Send a token."):
                await _worker(url).run()


ERRORS: List[type] = [Exception, BaseException, PermanentFailure, asyncio.CancelledError, SystemExit, KeyboardInterrupt]
ERRORS += [SyntaxError, OSError, ImportError, NameError, AttributeError, KeyError, UnicodeError, StopAsyncIteration]
OF_ERRORS = ["__class__", "__str__", "__repr__", "__format__", "__cause__", "__context__", "__suppress_context__"]
OF_ERRORS += ["__traceback__", "__notes__", "__dict__", "__getattribute__", "__hash__", "__eq__", "__bool__", "__len__"]
OF_ERRORS += ["args", "name", "obj", "msg", "text", "filename", "add_note", "with_traceback", "exceptions"]
OF_CLASSES = ["type.__name__", "type.__module__", "type.__str__", "type.__getattribute__"]
OF_CLASSES += ["type.__instancecheck__", "type.__mro__", "type.__bases__", "type.__hash__"]

CALLED = ["__str__", "__repr__", "__format__", "__getattribute__", "__hash__", "__eq__", "__bool__", "__len__"]
CALLED += ["__instancecheck__"]


def _odd_error(kind: type, method: str, raised: type) -> BaseException:
    """An error of a class where an attribute, which is a method or read as one, raises."""

    def fail(*args: object) -> Any:
        raise raised("odd")

    name = method.split(".")[-1]
    odd = {name: fail if name in CALLED else property(fail)}
    if method.startswith("type."):
        return cast(BaseException, type("Meta", (type,), odd)("Odd", (kind,), {})("told"))
    return cast(BaseException, type("Odd", (kind,), odd)("told"))


def _raising(error: BaseException) -> Callable[[Job], Any]:
    def handler(job: Job) -> None:
        raise error

    return handler


def _raising_later(error: BaseException) -> Callable[[Job], Any]:
    async def handler(job: Job) -> None:
        raise error

    return handler


def _worker(url: str) -> Worker:
    worker = Worker(url)
    worker.handler("mail")(_nothing)
    return worker


async def _nothing(job: Job) -> None:
    pass


async def _never(number: int, writer: asyncio.StreamWriter) -> None:
    raise ConnectionError


async def _one_claim(number: int, writer: asyncio.StreamWriter) -> None:
    if number > 1:
        raise ConnectionError
    writer.write(reply(200, json.dumps({"order": "run", "claims": [CLAIM]})))


if __name__ == "__main__":
    unittest.main()
