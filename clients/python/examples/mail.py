"""Works on jobs of the type mail. Each adds a job of the type receipt in the transaction that finishes it."""

import asyncio
import os
import sys

from couch_jobs import ApiError, Job, Worker

server = os.environ.get("COUCH_JOBS_URL", "http://127.0.0.1:7470")
token, ca_file = os.environ.get("COUCH_JOBS_TOKEN"), os.environ.get("COUCH_JOBS_CA_FILE")
worker = Worker(server, name="python", token=token, ca_file=ca_file)


@worker.handler("mail")
async def send(job: Job):
    await job.progress(1, 2, "rendered")
    await asyncio.sleep(1)
    receipt = {"type": "receipt", "data": {"mail": job.id}}
    await job.finish({"sent": True}, log=["accepted by the relay"], jobs=[receipt])


try:
    asyncio.run(worker.run())  # until SIGTERM or Ctrl-C
except ApiError as refused:
    sys.exit(f"{server} refuses the worker, whose token is in COUCH_JOBS_TOKEN: {refused}")
