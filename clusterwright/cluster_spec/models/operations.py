"""Running the cluster: image, health, logs, money, exceptions."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Email, LogRetentionDays, Model


def _day(value: Any) -> Any:
    """A day from its text form; what is no text is left for pydantic to refuse."""
    if not isinstance(value, str):
        return value
    from pydantic_core import PydanticCustomError

    try:
        if len(value) != len("2027-01-31"):
            raise ValueError(value)
        return datetime.date.fromisoformat(value)
    except ValueError:
        raise PydanticCustomError("day", "not a day, such as 2027-01-31") from None


Day = Annotated[
    datetime.date,
    BeforeValidator(_day),
    PlainSerializer(datetime.date.isoformat, return_type=str, when_used="json"),
]
"""A day as YYYY-MM-DD."""


class AutoPatch(Model):
    """When HyperPod replaces the image of nodes by a newer one."""

    strategy: Literal["when-idle", "when-all-idle"]
    """when-idle: each node when it has no job. when-all-idle: all, when none has."""


class Image(Model):
    """What the nodes boot from."""

    release_version: (
        Annotated[
            str,
            Field(pattern=formats.IMAGE_RELEASE.pattern, examples=[formats.IMAGE_RELEASE.example]),
        ]
        | None
    ) = None
    """HyperPod's image release, pinned so that a change of image is a change of this file."""

    released: Day | None = None
    """The day that release came out; accounting on RDS needs one after 2026-08-30."""

    image_id: (
        Annotated[
            str, Field(pattern=formats.IMAGE_ID.pattern, examples=[formats.IMAGE_ID.example])
        ]
        | None
    ) = None
    """An image of your own, built from the platform's."""

    nvidia_driver: (
        Annotated[str, Field(pattern=formats.DRIVER.pattern, examples=[formats.DRIVER.example])]
        | None
    ) = None
    """NVIDIA's driver in the image that is named, by its release notes; nothing installs it."""

    auto_patch: AutoPatch | None = None
    """Never by itself if absent."""


class Resilience(Model):
    """Health checks and the replacement of nodes."""

    node_recovery: Literal["automatic", "none"] = "automatic"
    """automatic: HyperPod reboots or replaces a node that fails its health checks."""

    node_provisioning: Literal["continuous", "all-at-once"] = "continuous"
    """continuous: the cluster starts with the nodes there are; others join as they come."""

    deep_health_checks: Annotated[
        list[Literal["instance-stress", "instance-connectivity"]], Field(max_length=2)
    ] = []
    """Run on every accelerated compute instance before it joins."""


class NodeMetrics(Model):
    """The nodes' metrics in the format of Prometheus, at `/metrics`."""

    listen: Literal["private", "loopback", "off"] = "private"
    """private: at each node's own address, which the cluster's security groups let its members
    reach; loopback: for programs of the node alone; off: not installed."""

    port: Annotated[int, Field(ge=1024, le=65535)] = 9177
    """TCP port."""

    interval_seconds: Annotated[int, Field(ge=10, le=3600)] = 60
    """How often they are sent to the workspace of `prometheus`, which charges by sample."""

    image: (
        Annotated[
            str,
            Field(pattern=formats.IMAGE_DIGEST.pattern, examples=[formats.IMAGE_DIGEST.example]),
        ]
        | None
    ) = None
    """Kubernetes: a container image with Python 3.9 or newer, by its digest, in which each node's
    exporter runs; without one nodes show nothing of themselves."""


class Observability(Model):
    """Logs, metrics and alarms."""

    log_retention_days: LogRetentionDays = 90
    """How long the nodes' logs are kept."""

    metrics: NodeMetrics = Field(default_factory=NodeMetrics.model_construct)
    """What each node shows of itself."""

    prometheus: bool = False
    """A managed Prometheus workspace: with Slurm the image's CloudWatch agent sends the nodes'
    metrics there, on Kubernetes AWS's collector or HyperPod's add-on does."""

    alarm_emails: list[Email] = []
    """Told when file systems fill up or the accounting database is short of space."""


class Budget(Model):
    """What the cluster may cost: above a limit fails, an unknown price leaves it open."""

    monthly_usd: Annotated[float, Field(gt=0)] | None = None
    """Limit per month of 730 hours; also an AWS budget with alerts."""

    run_usd: Annotated[float, Field(gt=0)] | None = None
    """Limit for the whole run, `run.hours` long."""

    max_increase_percent: Annotated[float, Field(ge=0, le=100_000)] | None = None
    """How much more a month may cost after one change; `clusterwright diff` holds it to this."""

    alert_emails: Annotated[list[Email], Field(max_length=10)] = []
    """Told when the month's spending reaches a threshold."""

    alert_thresholds_percent: Annotated[
        list[Annotated[int, Field(ge=1, le=1000)]], Field(min_length=1, max_length=5)
    ] = [80, 100]
    """Percentages of `monthly_usd`."""


class Run(Model):
    """The training run that the cluster is for."""

    hours: Annotated[float, Field(gt=0, le=87_600, examples=[720])]
    """How long the training run holds the cluster; decides the cost of the run."""

    start: Annotated[Day, Field(examples=["2027-03-01"])] | None = None
    """The day on which the cluster must stand; quota requests are dated back from it."""

    checkpoint_gib: Annotated[float, Field(gt=0, le=1_048_576, examples=[980])] | None = None
    """Size of one whole checkpoint, all nodes' parts together."""

    max_checkpoint_seconds: Annotated[float, Field(gt=0, le=86_400, examples=[300])] | None = None
    """A checkpoint must be whole on the shared file system within this."""

    checkpoint_interval_minutes: Annotated[float, Field(gt=0, le=10_080, examples=[30])] | None = (
        None
    )
    """From one checkpoint to the next: the one before must be whole by then."""


class Waiver(Model):
    """A finding that somebody accepts, with the reason and the day it must be looked at again."""

    rule: Annotated[str, Field(pattern=formats.RULE.pattern, examples=[formats.RULE.example])]
    """The rule's id."""

    path: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    """The finding's path; every finding of the rule if absent."""

    reason: Annotated[
        str, Field(min_length=10, max_length=1000, examples=["agreed with the network team"])
    ]
    """Why the finding is accepted, in a sentence."""

    expires: Annotated[Day, Field(examples=["2027-01-31"])]
    """From this day on the waiver is itself a finding."""


class Allowance(Model):
    """A resource or group whose end is meant, with the reason."""

    resource: Annotated[
        str,
        Field(
            pattern=formats.RESOURCE.pattern,
            max_length=1024,
            examples=[formats.RESOURCE.example],
        ),
    ]
    """What may be replaced or deleted, as `clusterwright diff` names it."""

    reason: Annotated[
        str, Field(min_length=10, max_length=1000, examples=["its data is in the other bucket"])
    ]
    """Why that is right, in a sentence."""

    expires: Annotated[Day, Field(examples=["2027-01-31"])] | None = None
    """After this day it allows nothing, and `diff` says so; for good if absent."""
