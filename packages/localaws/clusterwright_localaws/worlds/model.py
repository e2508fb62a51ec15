"""What a local AWS looks like from inside: its quotas, networks, plans, prices and faults.

A world is a YAML document (or one of the built-in names). Every API of the local AWS enforces
it: a quota of 8 in the world is a CreateCluster of 64 refused, not only a number to read.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

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
        raise ValueError(f"EC2's name is meant, without `ml.`: {value[3:]}")
    if not _TYPE_NAME.fullmatch(value):
        raise ValueError(f"{value!r} is no instance type, as p5.48xlarge is")
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
Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(_Model):
    """A failure on purpose, for calls of one operation (`*` for all) of one service.

    Faults are tried in the order of the file. The first `after` matching calls are let through,
    the next `times` (without it: all) are hit.
    """

    service: str = Field(description="boto3's name of the service, or *")
    operation: str = Field(description="The API's name of the operation (CreateCluster), or *")
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
    times: int | None = Field(None, ge=1, description="How many calls are hit; all without it")
    after: int = Field(0, ge=0, description="How many matching calls are let through first")

    @model_validator(mode="after")
    def _does_something(self) -> Fault:
        if self.error is None and self.delay_ms is None and not self.empty and not self.truncate:
            raise ValueError("a fault needs one of error, delay_ms, empty or truncate")
        if self.error is None and (self.message is not None or self.status is not None):
            raise ValueError("message and status need an error")
        return self

    @model_validator(mode="after")
    def _has_pages(self) -> Fault:
        """A list without a token would lose what is cut."""
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
    """A subnet that is there before anybody calls, in a VPC that is made for it."""

    id: str = Field(pattern=r"^subnet-([0-9a-f]{8}|[0-9a-f]{17})$")
    vpc_id: str = Field(pattern=r"^vpc-([0-9a-f]{8}|[0-9a-f]{17})$")
    vpc_cidr: str = Field("10.0.0.0/16", description="The VPC's range; one VPC, one range")
    cidr: str
    zone_id: ZoneId
    free_addresses: int | None = Field(
        None, ge=0, description="What others have left free; all of the range without it"
    )
    security_group_ids: list[str] = Field(
        default_factory=list,
        description="Security groups of the VPC that let their members talk to each other",
    )
    closed: bool = Field(
        False,
        description="No way out of its VPC; else a transit gateway leads to all there is outside. "
        "The first subnet of a VPC decides",
    )


class BucketSeed(_Model):
    """An S3 bucket that is there before anybody calls, open to every account."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
    account: AccountId | None = Field(None, description="Its owner; without it the world's")
    region: Region | None = Field(None, description="Without it the world's")


class NewSubnets(_Model):
    """How subnets look that are created while the local AWS runs."""

    free_addresses: int | None = Field(
        None, ge=0, description="At most this many addresses are free in each; all without it"
    )


class TrainingPlanSeed(_Model):
    """A SageMaker training plan that somebody bought."""

    name: str = Field(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}$")
    instance_type: InstanceTypeName
    instance_count: int = Field(ge=1, le=256)
    zone_id: ZoneId | None = Field(None, description="Without it the first zone with the type")
    start: Moment = Field("-1d", description="A time, or an offset from now: -1d, +12h, +30m")
    end: Moment = "+30d"
    status: Literal["Pending", "Active", "Scheduled", "Expired", "Failed"] | None = Field(
        None, description="Without it what start and end say"
    )
    in_use_instance_count: int = Field(0, ge=0)
    upfront_fee_usd: Decimal | None = Field(
        None, ge=0, description="What was paid for it; AWS does not say without it"
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


class PriceSeed(_Model):
    """A price that Pricing's GetProducts answers with, before and instead of the catalogue's."""

    region: Region
    usd: Decimal = Field(ge=0)
    unit: str = "Hrs"
    instance_type: InstanceTypeName | None = None
    kind: Literal["ec2-on-demand", "hyperpod-on-demand"] = "ec2-on-demand"
    service: str | None = Field(None, description="With item: the catalogue's service, as in s3")
    item: str | None = None

    @model_validator(mode="after")
    def _names_one_thing(self) -> PriceSeed:
        if (self.instance_type is None) == (self.service is None):
            raise ValueError("a price is of an instance_type or of a service and item")
        if (self.service is None) != (self.item is None):
            raise ValueError("service and item belong together")
        return self


class SpotPriceSeed(_Model):
    """A Spot price that DescribeSpotPriceHistory answers with, from a time on."""

    instance_type: InstanceTypeName
    zone_id: ZoneId
    usd: Decimal = Field(ge=0, description="USD per instance-hour")
    since: Moment = "-1d"
    product: Literal["Linux/UNIX", "Red Hat Enterprise Linux", "SUSE Linux", "Windows"] = (
        "Linux/UNIX"
    )


class CostSeed(_Model):
    """What was spent, or will be, every day of a period; Cost Explorer and Budgets answer it."""

    service: str = Field(
        min_length=1, description="As bills name it: Amazon SageMaker, Amazon FSx, ..."
    )
    usd_per_day: Decimal = Field(description="Negative for a credit or refund")
    start: Moment = Field("-30d", description="Its first day (UTC)")
    end: Moment = Field("+30d", description="The day after its last")
    account: AccountId | None = Field(None, description="Without it whichever asks")
    region: Region | None = Field(None, description="Without it the world's")
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
    """How many instances of a type AWS really has; more are refused as AWS refuses them."""

    instance_type: InstanceTypeName
    available: int = Field(ge=0)
    zone_id: ZoneId | None = Field(None, description="One zone; without it every zone")


def _one_wildcard(value: list[str]) -> list[str]:
    for item in value:
        if item.count("*") > 1:
            raise ValueError(f"{item!r} has more than one `*`")
    return value


class TagKeyRule(_Model):
    """What the effective tag policy says of one key, as DescribeEffectivePolicy answers it."""

    tag_key: str | None = Field(
        None, description="The key as it must be written; the policy's own in lower case without"
    )
    tag_value: Annotated[list[str], AfterValidator(_one_wildcard)] | None = Field(
        None, description="Values that are allowed, one * in each at most; any without it"
    )
    enforced_for: list[str] | None = Field(
        None, description="Types whose tagging is refused: ec2:instance, ec2:ALL_SUPPORTED"
    )
    report_required_tag_for: list[str] | None = Field(
        None, description="Types that must have the tag; nothing is refused for it here"
    )


class TagPolicy(_Model):
    """The effective tag policy of every account of the world."""

    tags: dict[str, TagKeyRule] = Field(description="By key, whose capitals do not count")

    @model_validator(mode="after")
    def _keys_agree(self) -> TagPolicy:
        for name, rule in self.tags.items():
            if rule.tag_key is not None and rule.tag_key.lower() != name.lower():
                raise ValueError(f"tag_key {rule.tag_key!r} is another key than {name!r}")
        return self


class Organization(_Model):
    """The organisation that every account of the world belongs to."""

    id: str = Field("o-exampleorgid", pattern=r"^o-[a-z0-9]{10,32}$")
    management_account: AccountId | None = Field(
        None, description="Its users and roles are not limited by service control policies"
    )
    service_control_policies: list[list[PolicyDocument]] = Field(
        default_factory=list,
        description="Policy documents by level, from the root to the account; each level that is "
        "given must allow, so give FullAWSAccess beside what denies",
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
    """How long things take, in seconds, so that waiting code really waits."""

    cluster: Seconds = Field(0, description="Creating, updating or deleting a HyperPod cluster")
    node: Seconds = Field(0, description="One HyperPod node from Pending to Running")
    file_system: Seconds = Field(0, description="Creating, updating or deleting a file system")
    association: Seconds = Field(0, description="Creating or deleting a repository association")
    eks_cluster: Seconds = Field(0, description="Creating, updating or deleting an EKS cluster")
    node_group: Seconds = Field(0, description="Creating, updating or deleting an EKS node group")
    addon: Seconds = Field(0, description="Creating, updating or deleting an EKS add-on")
    governance: Seconds = Field(
        0, description="Creating, updating or deleting a cluster policy or compute quota"
    )
    task: Seconds = Field(0, description="A data repository task, of its state PENDING and after")
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
    payment: Seconds = Field(
        0, description="A capacity block or its extension in the state payment-pending"
    )


class FileSystemActivity(_Model):
    """What CloudWatch shows of every Lustre file system."""

    oldest_queued_export_seconds: Seconds | None = Field(
        0,
        description="How long the oldest change has waited for its automatic export; null: "
        "CloudWatch has no datapoint",
    )
    written_bytes_per_minute: int = Field(0, ge=0, description="What clients write")


class World(_Model):
    """One world. Quotas, usage and plans hold in every account and region that is called."""

    description: str = ""
    account: AccountId = Field(DEFAULT_ACCOUNT, description="Of callers that name none")
    region: Region = Field(DEFAULT_REGION, description="Where subnets and reservations are made")
    quota_policy: Literal["ample", "documented"] = Field(
        "ample",
        description="Quotas that are not named below: ample numbers, or AWS's documented defaults",
    )
    quotas: QuotaValues = Field(
        default_factory=dict, description="SERVICE/CODE: the applied value"
    )
    usage: QuotaValues = Field(
        default_factory=dict, description="SERVICE/CODE: what others of the account use already"
    )
    subnets: list[SubnetSeed] = Field(default_factory=list)
    buckets: list[BucketSeed] = Field(default_factory=list)
    new_subnets: NewSubnets = Field(default_factory=lambda: NewSubnets())
    unlisted_plans: Literal["none", "active", "expired", "scheduled"] = Field(
        "none",
        description="What a training plan is that a caller names and this file does not list: "
        "missing (none), or there with this status. Its type is read from its name "
        "(x-p5-48xlarge-y), else p5.48xlarge; it has 64 instances and no fixed zone",
    )
    training_plans: list[TrainingPlanSeed] = Field(default_factory=list)
    capacity_reservations: list[CapacityReservationSeed] = Field(default_factory=list)
    capacity: list[Capacity] = Field(default_factory=list)
    capacity_block_offerings: Literal["documented", "none"] = Field(
        "documented",
        description="Capacity blocks that can be bought: those of the types and places that AWS "
        "documents, as far as `capacity` allows, or none",
    )
    spot_prices: list[SpotPriceSeed] = Field(
        default_factory=list, description="The Spot price history; empty without it"
    )
    costs: list[CostSeed] = Field(
        default_factory=list, description="What Cost Explorer and Budgets say was spent"
    )
    file_system_activity: FileSystemActivity = Field(default_factory=lambda: FileSystemActivity())
    not_offered: dict[InstanceTypeName, list[ZoneId]] = Field(
        default_factory=dict, description="Zones that do not have a type, whatever AWS says"
    )
    local_zones: Literal["opted-in", "not-opted-in"] = Field(
        "opted-in",
        description="Whether accounts have opted in to local zones; without, no subnet stands "
        "there until ModifyAvailabilityZoneGroup",
    )
    prices: list[PriceSeed] = Field(default_factory=list)
    faults: list[Fault] = Field(default_factory=list)
    latency_ms: dict[str, Annotated[int, Field(ge=0, le=60_000)]] = Field(
        default_factory=dict,
        description="boto3's name of a service, or * for the others: how long every call of a "
        "client waits; added to --latency-ms",
    )
    delays: Delays = Field(default_factory=lambda: Delays())
    iam: Literal["off", "enforced"] = Field(
        "off",
        description="Whether policies decide over every call (enforced) or anybody may do all",
    )
    organization: Organization | None = Field(
        None,
        description="Service and resource control policies, where iam is enforced; a tag policy",
    )

    def free_capacity(self, instance_type: str, zone_id: str) -> int | None:
        """How many more instances the zone gives before others' use; `None`: no end is set."""
        found = [
            entry.available
            for entry in self.capacity
            if entry.instance_type == instance_type and entry.zone_id in (None, zone_id)
        ]
        return min(found) if found else None


def moment_of(text: str, now: datetime) -> datetime:
    """The time that `2026-11-20T11:30:00Z` or an offset such as `-1d`, `+12h`, `+30m` means.

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
