"""Operations: image, health checks, logs, metrics, budget, waivers."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Email, LogRetentionDays, Model


def _day(value: Any) -> Any:
    """Parse a date; pydantic rejects values that are not strings."""
    if not isinstance(value, str):
        return value
    from pydantic_core import PydanticCustomError

    try:
        if len(value) != len("2027-01-31"):
            raise ValueError(value)
        return datetime.date.fromisoformat(value)
    except ValueError:
        raise PydanticCustomError("day", "not a date, such as 2027-01-31") from None


Day = Annotated[
    datetime.date,
    BeforeValidator(_day),
    PlainSerializer(datetime.date.isoformat, return_type=str, when_used="json"),
]
"""A date as YYYY-MM-DD."""


class AutoPatch(Model):
    """When HyperPod updates the image of nodes."""

    strategy: Literal["when-idle", "when-all-idle"]
    """when-idle: each node when it runs no job. when-all-idle: all nodes when no job runs."""


class Image(Model):
    """The machine image of the nodes."""

    release_version: (
        Annotated[
            str,
            Field(pattern=formats.IMAGE_RELEASE.pattern, examples=[formats.IMAGE_RELEASE.example]),
        ]
        | None
    ) = None
    """Pinned HyperPod image release, so that an update of the image is a change of the spec."""

    released: Day | None = None
    """Date of that release; accounting on RDS requires a release after 2026-08-30."""

    image_id: (
        Annotated[
            str, Field(pattern=formats.IMAGE_ID.pattern, examples=[formats.IMAGE_ID.example])
        ]
        | None
    ) = None
    """A custom AMI, built from an image of the platform."""

    nvidia_driver: (
        Annotated[str, Field(pattern=formats.DRIVER.pattern, examples=[formats.DRIVER.example])]
        | None
    ) = None
    """Version of the NVIDIA driver in the image, from its release notes; nothing installs it."""

    auto_patch: AutoPatch | None = None
    """Automatic updates of the image; none if absent."""


class Resilience(Model):
    """Health checks and node replacement."""

    node_recovery: Literal["automatic", "none"] = "automatic"
    """automatic: HyperPod reboots or replaces a node that fails its health checks."""

    node_provisioning: Literal["continuous", "all-at-once"] = "continuous"
    """continuous: the cluster starts with the available nodes; further nodes join later."""

    deep_health_checks: Annotated[
        list[Literal["instance-stress", "instance-connectivity"]], Field(max_length=2)
    ] = []
    """Checks of every accelerated compute instance before it joins."""


class NodeMetrics(Model):
    """Metrics of the nodes in Prometheus format, at `/metrics`."""

    listen: Literal["private", "loopback", "off"] = "private"
    """private: on each node's private address, which members of the cluster's security groups can
    reach. loopback: only for programs on the node. off: not installed."""

    port: Annotated[int, Field(ge=1024, le=65535)] = 9177
    """TCP port."""

    interval_seconds: Annotated[int, Field(ge=10, le=3600)] = 60
    """Interval of samples sent to the workspace of `prometheus`, which charges per sample."""

    slurm_openmetrics: bool = False
    """Let slurmctld serve metrics of its own, some of which the controller's exporter passes on.
    Requires Slurm 25.11 on every node: an older one refuses a slurm.conf with the setting."""

    image: (
        Annotated[
            str,
            Field(pattern=formats.IMAGE_DIGEST.pattern, examples=[formats.IMAGE_DIGEST.example]),
        ]
        | None
    ) = None
    """Kubernetes: a container image with Python 3.9 or later, with a digest, for the exporter of
    each node; without it nodes have no exporter."""


class Grafana(Model):
    """A workspace of Amazon Managed Grafana that may query the workspace of `prometheus`."""

    login: Literal["identity-center", "saml"] = "identity-center"
    """How users sign in. saml: an identity provider of yours, which you connect after the
    deployment."""


class Observability(Model):
    """Logs, metrics and alarms."""

    log_retention_days: LogRetentionDays = 90
    """Retention of the nodes' logs."""

    metrics: NodeMetrics = Field(default_factory=NodeMetrics.model_construct)
    """The metrics exporter of each node."""

    prometheus: bool = False
    """An Amazon Managed Service for Prometheus workspace. With Slurm, the CloudWatch agent of the
    image sends metrics to it; on Kubernetes, the AWS collector or the HyperPod add-on."""

    grafana: Grafana | None = None
    """A Grafana workspace for the dashboards of `render dashboards`; none if absent."""

    alarm_emails: list[Email] = []
    """Recipients of alarms about full file systems and a full accounting database. With
    `prometheus` also of alerts: the workspace then has the rules that `render alerts` prints."""


class Budget(Model):
    """Cost limits: costs above a limit fail, an unknown price makes the result unknown."""

    monthly_usd: Annotated[float, Field(gt=0)] | None = None
    """Limit per month of 730 hours; also creates an AWS budget with alerts."""

    run_usd: Annotated[float, Field(gt=0)] | None = None
    """Limit for the whole run of `run.hours`."""

    max_increase_percent: Annotated[float, Field(ge=0, le=100_000)] | None = None
    """Maximum increase of the monthly cost by one change, checked by `clusterwright diff`."""

    alert_emails: Annotated[list[Email], Field(max_length=10)] = []
    """Recipients of alerts when the month's cost reaches a threshold."""

    alert_thresholds_percent: Annotated[
        list[Annotated[int, Field(ge=1, le=1000)]], Field(min_length=1, max_length=5)
    ] = [80, 100]
    """Percentages of `monthly_usd`."""


class Run(Model):
    """The training run that the cluster is for."""

    hours: Annotated[float, Field(gt=0, le=87_600, examples=[720])]
    """Duration of the run, for its cost."""

    start: Annotated[Day, Field(examples=["2027-03-01"])] | None = None
    """Date on which the cluster must be ready; quota requests are scheduled before it."""

    checkpoint_gib: Annotated[float, Field(gt=0, le=1_048_576, examples=[980])] | None = None
    """Size of a complete checkpoint of all nodes."""

    max_checkpoint_seconds: Annotated[float, Field(gt=0, le=86_400, examples=[300])] | None = None
    """Maximum time to write a checkpoint to the shared file system."""

    checkpoint_interval_minutes: Annotated[float, Field(gt=0, le=10_080, examples=[30])] | None = (
        None
    )
    """Interval between checkpoints; a checkpoint must be complete before the next starts."""


class Waiver(Model):
    """An accepted finding, with the reason and an expiry date."""

    rule: Annotated[str, Field(pattern=formats.RULE.pattern, examples=[formats.RULE.example])]
    """The id of the rule."""

    path: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    """The path of the finding; every finding of the rule if absent."""

    reason: Annotated[
        str, Field(min_length=10, max_length=1000, examples=["agreed with the network team"])
    ]
    """Why the finding is accepted."""

    expires: Annotated[Day, Field(examples=["2027-01-31"])]
    """From this date on, the waiver itself is a finding."""


class Allowance(Model):
    """A resource or group that may be replaced or deleted, or lose its protection."""

    resource: Annotated[
        str,
        Field(
            pattern=formats.RESOURCE.pattern,
            max_length=1024,
            examples=[formats.RESOURCE.example],
        ),
    ]
    """The resource or group, as named by `clusterwright diff`, or `protection`."""

    reason: Annotated[
        str, Field(min_length=10, max_length=1000, examples=["its data is in the other bucket"])
    ]
    """Why the change is intended."""

    expires: Annotated[Day, Field(examples=["2027-01-31"])] | None = None
    """Expiry date, after which `diff` reports it and it has no effect; none if absent."""
