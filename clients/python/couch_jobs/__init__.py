"""Jobs of a couch-jobs-server: a client that adds them, and a worker that runs them."""

from .client import Client
from .errors import ApiError, JobFailed, LeaseLost, PermanentFailure, ResultTimeout
from .worker import Job, Worker

__all__ = [
    "ApiError",
    "Client",
    "Job",
    "JobFailed",
    "LeaseLost",
    "PermanentFailure",
    "ResultTimeout",
    "Worker",
]
