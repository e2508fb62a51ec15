"""What `check` says of an account beyond its rules: permissions and requests, types only."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.preflight.results import QuotaNeed, Unanswered

ACCOUNT_TEAM_FROM_NODES: Final = 512
"""From this many nodes on the text says to speak with the account team before filing."""

State = Literal["filed", "open", "not-filed", "not-adjustable", "no-code", "refused"]


@dataclass(frozen=True)
class Permission:
    """One action, the resources on which it is needed, and the rules that need it."""

    action: str
    resources: tuple[str, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Stage:
    """One step of the ramp: how much of the quota is used, and for what."""

    value: float
    purpose: str


@dataclass(frozen=True)
class QuotaRequest:
    """One increase: what, why, in which steps, and what has become of it.

    `request_id` and `case_id` are AWS's, `open_for` the value of a request that is open already.
    """

    need: QuotaNeed
    rules: tuple[str, ...]
    reasons: tuple[str, ...]
    stages: tuple[Stage, ...]
    state: State
    message: str | None = None
    request_id: str | None = None
    case_id: str | None = None
    status: str | None = None
    open_for: float | None = None

    @property
    def can_be_filed(self) -> bool:
        return self.state == "not-filed"


@dataclass(frozen=True)
class RequestPlan:
    """Everything that a cluster has to ask of Service Quotas.

    `file_by` is None where the start of the run or AWS's lead time is not known; `file_by_unknown`
    then says why.
    """

    environment: str
    account: str
    region: str
    file: str
    today: dt.date
    start: dt.date | None
    hours: float | None
    lead_days: float | None
    file_by: dt.date | None
    file_by_unknown: str | None
    nodes: int
    requests: tuple[QuotaRequest, ...]
    unknown: tuple[Unanswered, ...]

    @property
    def to_file(self) -> tuple[QuotaRequest, ...]:
        return tuple(request for request in self.requests if request.can_be_filed)

    @property
    def account_team(self) -> bool:
        """Whether it is too large for a form alone."""
        return self.nodes >= ACCOUNT_TEAM_FROM_NODES
