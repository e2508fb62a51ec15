"""One call of an API, and the table of operations that are implemented here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.worlds.model import World

if TYPE_CHECKING:
    from moto.core.request import Request

    from clusterwright_localaws.iam.principals import Caller


@dataclass(frozen=True)
class Call:
    """One call: caller, service, operation, and parameters named as in the API model."""

    service: str
    operation: str
    account: str
    region: str
    runtime: Runtime
    parameters: Mapping[str, Any] = field(default_factory=dict)
    page_limit: int | None = None  # a fault of the world limits pages to this length
    signer: Callable[[], Caller] | None = None  # finds the principal that signed the call
    # What an operation leaves to do before the answer, but without the runtime's lock.
    unlocked: list[Callable[[], None]] = field(default_factory=list)
    by_aws: bool = False  # whether CloudFormation calls, for a stack
    signed: bool = True  # whether the request has a signature

    @property
    def world(self) -> World:
        return self.runtime.world

    @property
    def now(self) -> datetime:
        return self.runtime.clock.now()

    @property
    def session_name(self) -> str:
        """The session of the role that signed the call; empty for other and unknown callers."""
        try:
            caller = self.signer() if self.signer is not None else None
        except AwsError:
            return ""
        return caller.arn.rsplit("/", 1)[-1] if caller and caller.kind == "role" else ""

    @property
    def partition(self) -> str:
        if self.region.startswith("cn-"):
            return "aws-cn"
        return "aws-us-gov" if self.region.startswith("us-gov-") else "aws"

    def arn(self, service: str, resource: str) -> str:
        return f"arn:{self.partition}:{service}:{self.region}:{self.account}:{resource}"


Operation = Callable[[Call], Mapping[str, Any]]
OPERATIONS: dict[tuple[str, str], Operation] = {}


def operation(service: str, *names: str) -> Callable[[Operation], Operation]:
    """Register a function as the implementation of operations of a service (boto3's name).

    The function gets a call whose parameters passed the API model, and returns the answer as
    the API model names it. It raises `AwsError` to refuse.
    """

    def register(function: Operation) -> Operation:
        for name in names:
            OPERATIONS[service, name] = function
        return function

    return register


Unmodelled = Callable[["Request", str], "tuple[int, dict[str, str], str | bytes] | None"]
UNMODELLED: dict[str, Unmodelled] = {}


def unmodelled(service: str) -> Callable[[Unmodelled], Unmodelled]:
    """Register the function that answers requests of a service that its API model lacks.

    The function gets a request and its region, and returns status, headers and body, or None for a
    request that is not of its APIs.
    """

    def register(function: Unmodelled) -> Unmodelled:
        UNMODELLED[service] = function
        return function

    return register
