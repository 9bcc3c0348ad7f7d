"""The program of the conformance suite: see rfc/032-worker-protocol.md."""

import asyncio
import os

from couch_jobs import Client, Job, LeaseLost, PermanentFailure, Worker

URL = os.environ["COUCH_JOBS_URL"]
worker = Worker(URL, name=os.environ["COUCH_JOBS_WORKER"], concurrency=8, grace=1, retry={"initialDelay": "PT0S"})
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


asyncio.run(worker.run())
