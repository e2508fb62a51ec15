"""The model of a world: quotas, networks, plans, prices and faults of a local AWS.

A world is a YAML document, or the name of a built-in world. Every API of the local AWS enforces
it: with a quota of 8, CreateCluster with 64 instances is refused.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from clusterwright_localaws.worlds.injections import ClusterEvent, LogLines, NodeFault, Override

# moto's own default (moto.core.DEFAULT_ACCOUNT_ID), kept so that ARNs agree with moto's.
DEFAULT_ACCOUNT = "123456789012"
DEFAULT_REGION = "us-east-1"

_QUOTA_KEY = re.compile(r"[a-z0-9.-]+/L-[0-9A-F]{8}")
_OFFSET = re.compile(r"([+-])(\d+)([mhd])")
_TYPE_NAME = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def _quota_keys(value: dict[str, float]) -> dict[str, float]:
    for key in value:
        if not _QUOTA_KEY.fullmatch(key):
            raise ValueError(f"{key!r} is not SERVICE/L-XXXXXXXX, as in sagemaker/L-8762A75F")
    return value


def _moment(value: str) -> str:
    moment_of(value, datetime.now(UTC))
    return value


def _policy_document(value: dict[str, Any]) -> dict[str, Any]:
    from clusterwright_localaws.iam.policy import MalformedPolicy, read_policy

    try:
        read_policy(value)
    except MalformedPolicy as error:
        raise ValueError(str(error)) from None
    return value


def _ec2_name(value: str) -> str:
    if value.startswith("ml."):
        raise ValueError(f"use EC2's name, without `ml.`: {value[3:]}")
    if not _TYPE_NAME.fullmatch(value):
        raise ValueError(f"{value!r} is not an instance type, such as p5.48xlarge")
    return value


QuotaValues = Annotated[
    dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]], AfterValidator(_quota_keys)
]
Moment = Annotated[str, AfterValidator(_moment)]
AccountId = Annotated[str, Field(pattern=r"^\d{12}$")]
ZoneId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*-az\d+$")]
Region = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d+$")]
InstanceTypeName = Annotated[
    str, AfterValidator(_ec2_name), Field(json_schema_extra={"pattern": _TYPE_NAME.pattern})
]
PolicyDocument = Annotated[dict[str, Any], AfterValidator(_policy_document)]
ExtensionVersion = Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")]
SlurmVersion = Annotated[str, Field(pattern=r"^\d\d\.\d\d$")]
Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(_Model):
    """An injected failure of calls of one operation (`*` for all) of one service.

    Faults apply in the order of the file. The first `after` matching calls succeed, and the next
    `times` calls fail (all, if not set).
    """

    service: str = Field(description="boto3's name of the service, or *")
    operation: str = Field(description="Name of the operation in the API (CreateCluster), or *")
    error: str | None = Field(
        None, description="The error code to answer with: ThrottlingException, AccessDenied, ..."
    )
    message: str | None = Field(None, description="The message of the error")
    status: int | None = Field(None, ge=400, le=599, description="The HTTP status of the error")
    delay_ms: int | None = Field(None, ge=0, le=600_000, description="Wait before answering")
    empty: bool = Field(False, description="Answer with empty lists")
    truncate: int | None = Field(
        None, ge=1, description="Answer pages of at most this many items, with a token for more"
    )
    times: int | None = Field(None, ge=1, description="How many calls fail; default: all")
    after: int = Field(0, ge=0, description="How many matching calls succeed first")

    @model_validator(mode="after")
    def _does_something(self) -> Fault:
        if self.error is None and self.delay_ms is None and not self.empty and not self.truncate:
            raise ValueError("a fault needs one of error, delay_ms, empty or truncate")
        if self.error is None and (self.message is not None or self.status is not None):
            raise ValueError("message and status need an error")
        return self

    @model_validator(mode="after")
    def _has_pages(self) -> Fault:
        """A list without a token would lose the items that are cut."""
        if not self.truncate or "*" in (self.service, self.operation):
            return self
        from clusterwright_localaws.core.paging_model import paging_of

        try:
            paging = paging_of(self.service, self.operation)
        except LookupError as error:
            raise ValueError(f"truncate: {error.args[0]}") from None
        if paging is None:
            raise ValueError(
                f"{self.service} {self.operation} has no pages that can be cut: truncate would "
                "lose the rest"
            )
        return self


class SubnetSeed(_Model):
    """A subnet that exists from the start, in a VPC that is created for it."""

    id: str = Field(pattern=r"^subnet-([0-9a-f]{8}|[0-9a-f]{17})$")
    vpc_id: str = Field(pattern=r"^vpc-([0-9a-f]{8}|[0-9a-f]{17})$")
    vpc_cidr: str = Field(
        "10.0.0.0/16", description="The VPC's range; the same for all subnets of a VPC"
    )
    cidr: str
    zone_id: ZoneId
    free_addresses: int | None = Field(
        None,
        ge=0,
        description="Free addresses, besides those that others use; default: the whole range",
    )
    owner_account: AccountId | None = Field(
        None, description="The account that shares it through AWS RAM; default: the caller's"
    )
    security_group_ids: list[str] = Field(
        default_factory=list,
        description="Security groups of the VPC that allow traffic between their members",
    )
    closed: bool = Field(
        False,
        description="The VPC has no egress path; otherwise a transit gateway routes to everything "
        "outside. The first subnet of a VPC determines it",
    )


class BucketSeed(_Model):
    """An S3 bucket that exists from the start, open to every account."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
    account: AccountId | None = Field(None, description="Its owner; default: the world's account")
    region: Region | None = Field(None, description="Default: the world's")
    requester_pays: bool = Field(
        False, description="Other accounts have to pay for their requests, or are denied"
    )


class NewSubnets(_Model):
    """Properties of subnets that are created while the local AWS runs."""

    free_addresses: int | None = Field(
        None, ge=0, description="At most this many addresses are free in each; default: all"
    )


class TrainingPlanSeed(_Model):
    """A SageMaker training plan that was bought."""

    name: str = Field(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}$")
    instance_type: InstanceTypeName
    instance_count: int = Field(ge=1, le=256)
    zone_id: ZoneId | None = Field(None, description="Default: the first zone with the type")
    start: Moment = Field("-1d", description="A time, or an offset from now: -1d, +12h, +30m")
    end: Moment = "+30d"
    status: Literal["Pending", "Active", "Scheduled", "Expired", "Failed"] | None = Field(
        None, description="Default: derived from start and end"
    )
    in_use_instance_count: int = Field(0, ge=0)
    upfront_fee_usd: Decimal | None = Field(
        None, ge=0, description="Upfront fee; not answered if not set"
    )
    ultra_server_type: str | None = None
    ultra_server_count: int | None = Field(None, ge=1)


class CapacityReservationSeed(_Model):
    """An EC2 capacity reservation or capacity block that exists already."""

    id: str = Field(pattern=r"^cr-[0-9a-f]{17}$")
    kind: Literal["on-demand", "capacity-block"] = "on-demand"
    instance_type: InstanceTypeName
    instance_count: int = Field(ge=1)
    available_instance_count: int | None = Field(None, ge=0)
    zone_id: ZoneId
    start: Moment = "-1d"
    end: Moment | None = None
    state: (
        Literal[
            "active",
            "assessing",
            "cancelled",
            "delayed",
            "expired",
            "failed",
            "payment-failed",
            "payment-pending",
            "pending",
            "scheduled",
            "unavailable",
            "unsupported",
        ]
        | None
    ) = None
    match_criteria: Literal["open", "targeted"] = Field(
        "targeted", description="Whether instances that name no reservation may use it (open)"
    )
    ultra_server_type: str | None = Field(
        None, pattern=r"^u-[a-z0-9-]+$", description="Of a capacity block of an UltraServer"
    )
    interruptible: bool = Field(
        False, description="Lent by the owner of another reservation, who is in no account here"
    )

    @model_validator(mode="after")
    def _is_lent_on_demand(self) -> CapacityReservationSeed:
        targeted = self.match_criteria == "targeted"
        if self.interruptible and not (self.kind == "on-demand" and targeted):
            raise ValueError("an interruptible reservation is on-demand and targeted")
        return self


class PriceSeed(_Model):
    """A price that Pricing's GetProducts answers, in place of the catalogue's."""

    region: Region
    usd: Decimal = Field(ge=0)
    unit: str = "Hrs"
    instance_type: InstanceTypeName | None = None
    kind: Literal["ec2-on-demand", "hyperpod-on-demand"] = "ec2-on-demand"
    service: str | None = Field(None, description="With item: the catalogue's service, such as s3")
    item: str | None = None

    @model_validator(mode="after")
    def _names_one_thing(self) -> PriceSeed:
        if (self.instance_type is None) == (self.service is None):
            raise ValueError("a price needs either instance_type or service and item")
        if (self.service is None) != (self.item is None):
            raise ValueError("service and item must be set together")
        return self


class SpotPriceSeed(_Model):
    """A Spot price that DescribeSpotPriceHistory answers, from a time on."""

    instance_type: InstanceTypeName
    zone_id: ZoneId
    usd: Decimal = Field(ge=0, description="USD per instance-hour")
    since: Moment = "-1d"
    product: Literal["Linux/UNIX", "Red Hat Enterprise Linux", "SUSE Linux", "Windows"] = (
        "Linux/UNIX"
    )


class CostSeed(_Model):
    """Spending per day of a period, past or future; Cost Explorer and Budgets answer it."""

    service: str = Field(
        min_length=1, description="Service name as on bills: Amazon SageMaker, Amazon FSx, ..."
    )
    usd_per_day: Decimal = Field(description="Negative for a credit or refund")
    start: Moment = Field("-30d", description="Its first day (UTC)")
    end: Moment = Field("+30d", description="The day after its last")
    account: AccountId | None = Field(None, description="Default: the account of each caller")
    region: Region | None = Field(None, description="Default: the world's")
    usage_type: str = "NoUsageType"
    operation: str = "NoOperation"
    instance_type: str = "NoInstanceType"
    record_type: str = "Usage"
    usage_quantity_per_day: Decimal = Field(Decimal(0), ge=0)
    tags: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_a_period(self) -> CostSeed:
        now = datetime.now(UTC)
        if moment_of(self.end, now) <= moment_of(self.start, now):
            raise ValueError("end must be after start")
        return self


class Capacity(_Model):
    """How many instances of a type AWS has; requests for more are refused as by AWS."""

    instance_type: InstanceTypeName
    available: int = Field(ge=0)
    zone_id: ZoneId | None = Field(None, description="One zone; default: every zone")


def _one_wildcard(value: list[str]) -> list[str]:
    for item in value:
        if item.count("*") > 1:
            raise ValueError(f"{item!r} has more than one `*`")
    return value


class TagKeyRule(_Model):
    """The rule of the effective tag policy for one key, as DescribeEffectivePolicy answers it."""

    tag_key: str | None = Field(
        None,
        description="The key as it must be written; default: the policy's key in lowercase",
    )
    tag_value: Annotated[list[str], AfterValidator(_one_wildcard)] | None = Field(
        None, description="Allowed values, with at most one * in each; default: any"
    )
    enforced_for: list[str] | None = Field(
        None, description="Types whose tagging is refused: ec2:instance, ec2:ALL_SUPPORTED"
    )
    report_required_tag_for: list[str] | None = Field(
        None, description="Types that must have the tag; not enforced here"
    )


class TagPolicy(_Model):
    """The effective tag policy of every account of the world."""

    tags: dict[str, TagKeyRule] = Field(description="By key, not case-sensitive")

    @model_validator(mode="after")
    def _keys_agree(self) -> TagPolicy:
        for name, rule in self.tags.items():
            if rule.tag_key is not None and rule.tag_key.lower() != name.lower():
                raise ValueError(f"tag_key {rule.tag_key!r} differs from the key {name!r}")
        return self


class Organization(_Model):
    """The organisation that every account of the world belongs to."""

    id: str = Field("o-exampleorgid", pattern=r"^o-[a-z0-9]{10,32}$")
    management_account: AccountId | None = Field(
        None, description="Its users and roles are not limited by service control policies"
    )
    service_control_policies: list[list[PolicyDocument]] = Field(
        default_factory=list,
        description="Policy documents by level, from the root to the account; each level must "
        "allow, so add FullAWSAccess beside policies that deny",
    )
    members_read_policies: bool = Field(
        False,
        description="Whether a delegation policy lets every account read its policies; otherwise "
        "only the management account reads them",
    )
    resource_control_policies: list[PolicyDocument] = Field(
        default_factory=list, description="Policy documents; RCPFullAWSAccess is always there"
    )
    tag_policy: TagPolicy | None = Field(
        None,
        description="The effective tag policy; EC2 refuses tags that break it where it is "
        "enforced, whatever `iam` says",
    )


class Delays(_Model):
    """Durations in seconds, so that code that waits is tested."""

    cluster: Seconds = Field(0, description="Creating, updating or deleting a HyperPod cluster")
    node: Seconds = Field(0, description="One HyperPod node from Pending to Running")
    node_list: Seconds = Field(
        0,
        description="How long ListClusterNodes answers as before; DescribeClusterNode is current",
    )
    file_system: Seconds = Field(0, description="Creating, updating or deleting a file system")
    association: Seconds = Field(0, description="Creating or deleting a repository association")
    eks_cluster: Seconds = Field(0, description="Creating, updating or deleting an EKS cluster")
    node_group: Seconds = Field(0, description="Creating, updating or deleting an EKS node group")
    addon: Seconds = Field(0, description="Creating, updating or deleting an EKS add-on")
    pcs_cluster: Seconds = Field(
        0, description="Creating, updating, suspending or deleting an AWS PCS cluster"
    )
    pcs_group: Seconds = Field(
        0, description="Creating, updating or deleting an AWS PCS compute node group"
    )
    pcs_queue: Seconds = Field(0, description="Creating, updating or deleting an AWS PCS queue")
    governance: Seconds = Field(
        0, description="Creating, updating or deleting a cluster policy or compute quota"
    )
    task: Seconds = Field(
        0, description="A data repository task, in state PENDING and in the following state"
    )
    backup: Seconds = Field(0, description="Creating or deleting a backup of a file system")
    volume: Seconds = Field(0, description="Creating, updating or deleting a volume or snapshot")
    database: Seconds = Field(
        0, description="Creating, modifying or deleting an RDS database or cluster"
    )
    nat_gateway: Seconds = Field(0, description="Creating or deleting a NAT gateway")
    endpoint: Seconds = Field(0, description="Creating or deleting an interface endpoint")
    workspace: Seconds = Field(
        0, description="Creating, updating or deleting a Prometheus or Grafana workspace"
    )
    extension: Seconds = Field(
        0, description="Creating, updating or deleting an extension of a HyperPod cluster"
    )
    payment: Seconds = Field(
        0, description="A capacity block or its extension in the state payment-pending"
    )


class FileSystemActivity(_Model):
    """Metrics of every Lustre file system in CloudWatch."""

    oldest_queued_export_seconds: Seconds | None = Field(
        0,
        description="Age of the oldest change that waits for its automatic export; null: "
        "no datapoint in CloudWatch",
    )
    written_bytes_per_minute: int = Field(0, ge=0, description="Bytes that clients write")
    free_percent: int = Field(100, ge=0, le=100, description="Free share of the capacity")


class World(_Model):
    """One world. Quotas, usage and plans apply in every account and region."""

    description: str = ""
    account: AccountId = Field(
        DEFAULT_ACCOUNT, description="Account of callers whose key selects none"
    )
    region: Region = Field(DEFAULT_REGION, description="Region of subnets and reservations")
    quota_policy: Literal["ample", "documented"] = Field(
        "ample",
        description="Quotas that are not named below: ample numbers, or AWS's documented defaults",
    )
    quotas: QuotaValues = Field(
        default_factory=dict, description="SERVICE/CODE: the applied value"
    )
    usage: QuotaValues = Field(
        default_factory=dict, description="SERVICE/CODE: usage by other resources of the account"
    )
    subnets: list[SubnetSeed] = Field(default_factory=list)
    buckets: list[BucketSeed] = Field(default_factory=list)
    new_subnets: NewSubnets = Field(default_factory=lambda: NewSubnets())
    unlisted_plans: Literal["none", "active", "expired", "scheduled"] = Field(
        "none",
        description="Status of a training plan that a caller names and this file does not list: "
        "it does not exist (none), or has this status. Its type is read from its name "
        "(x-p5-48xlarge-y), else p5.48xlarge; it has 64 instances and no fixed zone",
    )
    training_plans: list[TrainingPlanSeed] = Field(default_factory=list)
    capacity_reservations: list[CapacityReservationSeed] = Field(default_factory=list)
    capacity: list[Capacity] = Field(default_factory=list)
    capacity_block_offerings: Literal["documented", "none"] = Field(
        "documented",
        description="Capacity blocks that can be bought: those of the types and zones that AWS "
        "documents, as far as `capacity` allows, or none",
    )
    spot_prices: list[SpotPriceSeed] = Field(
        default_factory=list, description="The Spot price history; default: empty"
    )
    costs: list[CostSeed] = Field(
        default_factory=list, description="Spending that Cost Explorer and Budgets report"
    )
    file_system_activity: FileSystemActivity = Field(default_factory=lambda: FileSystemActivity())
    not_offered: dict[InstanceTypeName, list[ZoneId]] = Field(
        default_factory=dict, description="Zones that do not offer a type, whatever AWS documents"
    )
    local_zones: Literal["opted-in", "not-opted-in"] = Field(
        "opted-in",
        description="Whether accounts have opted in to local zones; if not, no subnet can be "
        "created there until ModifyAvailabilityZoneGroup",
    )
    suspended_slurm_versions: dict[SlurmVersion, Moment] = Field(
        default_factory=dict,
        description="Slurm versions of AWS PCS and when AWS suspends their clusters: after their "
        "end of life; AWS publishes no exact time",
    )
    prices: list[PriceSeed] = Field(default_factory=list)
    faults: list[Fault] = Field(default_factory=list)
    overrides: list[Override] = Field(
        default_factory=list, description="Answers with other members than the state has"
    )
    node_faults: list[NodeFault] = Field(
        default_factory=list, description="HyperPod nodes that break, or cannot be launched"
    )
    cluster_events: list[ClusterEvent] = Field(
        default_factory=list, description="Events of HyperPod clusters"
    )
    log_lines: list[LogLines] = Field(
        default_factory=list, description="Lines of streams of CloudWatch Logs"
    )
    extension_versions: dict[str, list[ExtensionVersion]] = Field(
        default_factory=lambda: {"sagemaker-observability": ["1.0.0"]},
        description="Extensions that HyperPod offers, with their versions; AWS's are not sourced: "
        "1.0.0 is the example of the API's documentation",
    )
    latency_ms: dict[str, Annotated[int, Field(ge=0, le=60_000)]] = Field(
        default_factory=dict,
        description="boto3's name of a service, or * for the others: latency of every call of a "
        "client; added to --latency-ms",
    )
    delays: Delays = Field(default_factory=lambda: Delays())
    iam: Literal["off", "enforced"] = Field(
        "off",
        description="Whether policies are evaluated for every call (enforced) or not at all (off)",
    )
    organization: Organization | None = Field(
        None,
        description="Service and resource control policies, where iam is enforced; a tag policy",
    )

    def free_capacity(self, instance_type: str, zone_id: str) -> int | None:
        """Return how many instances of a type the zone has before usage by others; `None`:
        unlimited.
        """
        found = [
            entry.available
            for entry in self.capacity
            if entry.instance_type == instance_type and entry.zone_id in (None, zone_id)
        ]
        return min(found) if found else None


def moment_of(text: str, now: datetime) -> datetime:
    """Return the time of `2026-11-20T11:30:00Z`, or of an offset such as `-1d`, `+12h`, `+30m`.

    Raises
    ------
    ValueError
        It is neither.
    """
    offset = _OFFSET.fullmatch(text)
    if offset:
        sign, count, unit = offset.groups()
        distance = timedelta(**{_UNITS[unit]: int(count)})
        return now + distance if sign == "+" else now - distance
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{text!r} is neither a time (2026-11-20T11:30:00Z) nor an offset (-1d, +12h, +30m)"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
