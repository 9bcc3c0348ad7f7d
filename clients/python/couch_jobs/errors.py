"""What can go wrong."""

from __future__ import annotations

from typing import Any, Dict, Optional


# An error of a handler is the user's code: each attribute of it, and of its class, may raise anything. So may
# isinstance, which asks for the __class__.

_NAME = type.__dict__["__qualname__"]  # a metaclass may have another one


def is_a(error: BaseException, kind: type) -> bool:
    """Whether an error is of a kind, whatever it says of its class."""
    return issubclass(type(error), kind)


def name_of(error: BaseException) -> str:
    """The name of the class of an error."""
    return str.__str__(_NAME.__get__(type(error)))


def text_of(error: BaseException) -> str:
    """The message of an error, even if its class cannot tell it."""
    try:
        return str.__str__(str(error))  # whatever a subclass of str says of itself
    except BaseException as broken:  # all of it is the user's code
        return f"its text cannot be read, by {name_of(broken)}"


class ApiError(Exception):
    """The server refuses a request. ``problem`` is what it says (RFC 9457)."""

    def __init__(self, status: int, problem: Dict[str, Any]) -> None:
        detail = problem.get("detail") or problem.get("title") or "no detail"
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.problem = problem

    @property
    def code(self) -> str:
        """The code of the problem, such as ``not-found``."""
        return str(self.problem.get("type", "")).rpartition(":")[2]


class LeaseLost(ApiError):
    """The claim no longer holds; nothing of the call was written."""

    @property
    def halt(self) -> str:
        """Why: ``lost``, ``cancelled``, ``removed`` or ``ended``."""
        return str(self.problem.get("halt", "lost"))


class ConnectionLost(Exception):
    """There was no complete response in time."""


class NotJson(ValueError):
    """A value cannot be written as JSON. Nothing was sent."""


class PermanentFailure(Exception):
    """Raised by a handler: another attempt would fail too."""


class JobFailed(Exception):
    """A job whose result was awaited has ended without success. ``job`` is the job."""

    def __init__(self, job: Dict[str, Any]) -> None:
        outcome = job.get("outcome", "without success")
        error = job.get("error")
        super().__init__(f"Job {job['id']} of type {job['type']} has ended: {outcome}" + (f": {error}" if error else ""))
        self.job = job
        self.outcome: str = outcome
        self.error: Optional[str] = error


class ResultTimeout(Exception):
    """A job whose result was awaited has not ended in time."""
