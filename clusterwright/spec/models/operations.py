"""Running the cluster: image, health, logs, money, exceptions."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from pydantic import Field

from clusterwright.spec.models.common import Email, Model

Day = Annotated[datetime.date, Field(strict=False)]


class AutoPatch(Model):
    strategy: Literal["when-idle", "when-all-idle"]


class Image(Model):
    release_version: Annotated[str, Field(pattern=r"^\d{1,3}\.\d{1,3}\.\d{1,3}$")] | None = None
    """HyperPod's image release, pinned so that a change of image is a change of this file."""

    released: Day | None = None
    """The day that release came out; accounting on RDS needs one after 2026-08-30."""

    image_id: Annotated[str, Field(pattern=r"^ami-[0-9a-f]{8,17}$")] | None = None
    auto_patch: AutoPatch | None = None


class Resilience(Model):
    node_recovery: Literal["automatic", "none"] = "automatic"
    node_provisioning: Literal["continuous", "all-at-once"] = "continuous"
    deep_health_checks: Annotated[
        list[Literal["instance-stress", "instance-connectivity"]], Field(max_length=2)
    ] = []
    """Run on every accelerated compute instance before it joins."""


LogRetentionDays = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]


class Observability(Model):
    log_retention_days: LogRetentionDays = 90
    prometheus: bool = False
    """A managed Prometheus workspace for the nodes' metrics."""

    alarm_emails: list[Email] = []
    """Told when file systems fill up or the accounting database is short of space."""


class Budget(Model):
    monthly_usd: Annotated[float, Field(gt=0, strict=False)] | None = None
    run_usd: Annotated[float, Field(gt=0, strict=False)] | None = None
    alert_emails: Annotated[list[Email], Field(max_length=10)] = []
    alert_thresholds_percent: Annotated[
        list[Annotated[int, Field(ge=1, le=1000)]], Field(min_length=1, max_length=5)
    ] = [80, 100]


class Run(Model):
    hours: Annotated[float, Field(gt=0, le=87_600, strict=False)]
    """How long the training run holds the cluster; decides the cost of the run."""


class Waiver(Model):
    """A finding that somebody accepts, with the reason and the day it must be looked at again."""

    rule: Annotated[str, Field(pattern=r"^CW-[A-Z]\d{3}$")]
    path: str | None = None
    """The finding's path; every finding of the rule if absent."""

    reason: Annotated[str, Field(min_length=10)]
    expires: Day
