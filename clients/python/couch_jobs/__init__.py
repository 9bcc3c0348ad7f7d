"""Jobs of a couch-jobs-server: a client that adds them, and a worker that runs them."""

from ._json import ExactFloat
from .client import Client
from .errors import ApiError, ConnectionLost, JobFailed, LeaseLost, NotJson, PermanentFailure, ResultTimeout
from .topics import Group, Topic
from .worker import Job, Worker

__all__ = [
    "ApiError",
    "Client",
    "ConnectionLost",
    "ExactFloat",
    "Group",
    "Job",
    "JobFailed",
    "LeaseLost",
    "NotJson",
    "PermanentFailure",
    "ResultTimeout",
    "Topic",
    "Worker",
]
