"""Results of `check --iam-policy` and `--request-quotas`: types only."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.preflight.results import QuotaNeed, Unanswered

ACCOUNT_TEAM_FROM_NODES: Final = 512
"""From this many nodes, the text recommends contacting the account team before filing."""

State = Literal["filed", "open", "not-filed", "not-adjustable", "no-code", "refused"]


@dataclass(frozen=True)
class Permission:
    """One IAM action, its resources, the rules that need it, and what limits it further."""

    action: str
    resources: tuple[str, ...]
    rules: tuple[str, ...]
    condition: Mapping[str, Mapping[str, str]] | None = None


@dataclass(frozen=True)
class Stage:
    """One step of a staged increase: the value and its purpose."""

    value: float
    purpose: str


@dataclass(frozen=True)
class QuotaRequest:
    """One quota increase: value, reasons, stages and state.

    `request_id` and `case_id` are AWS's, `open_for` the value of an open request.
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
    """All quota increases that a cluster needs.

    `file_by` is None if the start of the run or AWS's lead time is unknown; `file_by_unknown`
    is then the reason.
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
        """Whether to contact the account team first."""
        return self.nodes >= ACCOUNT_TEAM_FROM_NODES
