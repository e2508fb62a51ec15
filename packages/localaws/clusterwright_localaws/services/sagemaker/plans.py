"""Training plans: reserved capacity that HyperPod groups draw on.

Rules from AWS's page on training plans and the API model: 1 to 182 days, sizes 1, 2, 4, 8, 16, 32
and 64, one zone for HyperPod, paid upfront, tied to its target resource, HyperPod's instances end
one hour before the plan.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from clusterwright_localaws.core import catalog_facts, quotas
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.sagemaker.events import aware
from clusterwright_localaws.services.sagemaker.state import Cluster, store
from clusterwright_localaws.worlds.model import moment_of

PLANS_PER_REGION = "L-867702E6"
PLAN_SIZES = (1, 2, 4, 8, 16, 32, 64)
MAX_DURATION_HOURS = 182 * 24
HYPERPOD = "hyperpod-cluster"
# The type of a plan that a world does not list and whose name contains none.
UNLISTED_TYPE = "p5.48xlarge"
UNLISTED_COUNT = 64
_UNLISTED_TIMES = {
    "active": ("-1d", "+30d"),
    "expired": ("-31d", "-1d"),
    "scheduled": ("+1d", "+31d"),
}


@dataclass
class Plan:
    """One training plan with one reserved capacity."""

    name: str
    arn: str
    instance_type: str
    instance_count: int
    zone_id: str | None
    zone_name: str | None
    start: datetime
    end: datetime
    forced_status: str | None = None
    in_use_elsewhere: int = 0
    upfront_fee_usd: Decimal | None = None
    target_resources: list[str] = field(default_factory=lambda: [HYPERPOD])
    capacity_id: str = field(default_factory=lambda: secrets.token_hex(8))
    ultra_server_type: str | None = None
    ultra_server_count: int | None = None
    spare_count: int = 0
    extensions: list[dict[str, Any]] = field(default_factory=list)
    tags: list[dict[str, str]] = field(default_factory=list)

    def status_at(self, now: datetime) -> str:
        if self.forced_status:
            return self.forced_status
        if now < self.start:
            return "Scheduled"
        return "Active" if now < self.end else "Expired"


@dataclass
class Plans:
    """The plans and answered offerings of one account and region."""

    by_name: dict[str, Plan] = field(default_factory=dict)
    offerings: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Offering of an extension -> (name of the plan, the offering).
    extension_offerings: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)


@operation("sagemaker", "DescribeTrainingPlan")
def describe_training_plan(call: Call) -> Mapping[str, Any]:
    return _view(call, find(call, call.parameters["TrainingPlanName"]), spares=True)


@operation("sagemaker", "ListTrainingPlans")
def list_training_plans(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    found = list(plans_of(call).by_name.values())
    for entry in request.get("Filters", ()):
        found = [plan for plan in found if plan.status_at(call.now) == entry["Value"]]
    after, before = request.get("StartTimeAfter"), request.get("StartTimeBefore")
    found = [
        plan
        for plan in found
        if not (after and plan.start <= aware(after))
        and not (before and plan.start >= aware(before))
    ]
    keys = {
        "TrainingPlanName": lambda plan: plan.name,
        "Status": lambda plan: plan.status_at(call.now),
    }
    found.sort(
        key=keys.get(str(request.get("SortBy")), lambda plan: plan.start),
        reverse=request.get("SortOrder") == "Descending",
    )
    return paged(
        call,
        "TrainingPlanSummaries",
        found,
        lambda plan: _view(call, plan, spares=False),
        maximum=100,
    )


@operation("sagemaker", "SearchTrainingPlanOfferings")
def search_training_plan_offerings(call: Call) -> Mapping[str, Any]:
    """Answer offerings for the requested type, count and duration, in every zone that offers the
    type.

    The fee is the catalogue's price of a plan offering times instances and hours; without a
    sourced price the offering has no fee.
    """
    request = call.parameters
    if request.get("TrainingPlanArn"):
        return _search_extensions(call, find(call, request["TrainingPlanArn"]))
    server_name, servers = request.get("UltraServerType"), request.get("UltraServerCount")
    if server_name or servers:
        instance_type, count = _ultra_servers(request)
    elif request.get("InstanceType"):
        instance_type = catalog_facts.ec2_name(request["InstanceType"])
        count = int(request.get("InstanceCount") or 1)
        if count not in PLAN_SIZES:
            return {"TrainingPlanOfferings": []}
    else:
        raise _refused("Specify InstanceType, UltraServerType or TrainingPlanArn.")
    hours = int(request.get("DurationHours") or 24)
    if count == 0 or not 24 <= hours <= MAX_DURATION_HOURS:
        return {"TrainingPlanOfferings": []}
    start = aware(request["StartTimeAfter"]) if request.get("StartTimeAfter") else call.now
    start = max(start, call.now + timedelta(minutes=30))
    end = start + timedelta(hours=hours)
    if request.get("EndTimeBefore") and end > aware(request["EndTimeBefore"]):
        return {"TrainingPlanOfferings": []}
    rate = catalog_facts.instance_price_usd(instance_type, call.region, "training-plan-offer")
    found = []
    for zone_id in catalog_facts.zones_with(call.world, instance_type, call.region):
        limit = call.world.free_capacity(instance_type, zone_id)
        if limit is not None and limit < count:
            continue
        offering = _offering(call, f"ml.{instance_type}", count, hours, start, end, zone_id, rate)
        if server_name:
            offering["ReservedCapacityOfferings"][0].update(
                ReservedCapacityType="UltraServer",
                UltraServerType=server_name,
                UltraServerCount=int(servers or 1),
            )
        plans_of(call).offerings[offering["TrainingPlanOfferingId"]] = offering
        found.append(offering)
    return {"TrainingPlanOfferings": found}


@operation("sagemaker", "ExtendTrainingPlan")
def extend_training_plan(call: Call) -> Mapping[str, Any]:
    """Buy an offered extension, which postpones the plan's end."""
    plans = plans_of(call)
    identifier = call.parameters["TrainingPlanExtensionOfferingId"]
    known = plans.extension_offerings.pop(identifier, None)
    plan = plans.by_name.get(known[0]) if known else None
    if known is None or plan is None or known[1]["StartDate"] != plan.end:
        raise AwsError("ResourceNotFound", "The extension offering does not exist any more.")
    _check_extendable(call, plan)
    offering = known[1]
    plan.end = offering["EndDate"]
    if plan.upfront_fee_usd is not None and offering.get("UpfrontFee"):
        plan.upfront_fee_usd += Decimal(offering["UpfrontFee"])
    plan.extensions.append(
        {
            **offering,
            "ExtendedAt": call.now,
            "Status": "Scheduled",
            "PaymentStatus": "Completed",
            **({"AvailabilityZoneId": plan.zone_id} if plan.zone_id else {}),
        }
    )
    return {"TrainingPlanExtensions": plan.extensions}


@operation("sagemaker", "DescribeTrainingPlanExtensionHistory")
def describe_training_plan_extension_history(call: Call) -> Mapping[str, Any]:
    plan = find(call, call.parameters["TrainingPlanArn"])
    shown = [
        {
            **extension,
            "Status": "Active" if extension["StartDate"] <= call.now else extension["Status"],
        }
        for extension in plan.extensions
    ]
    return paged(call, "TrainingPlanExtensions", shown, maximum=100)


def _search_extensions(call: Call, plan: Plan) -> Mapping[str, Any]:
    """Answer one extension of the requested length (default: a day), from the plan's end."""
    hours = int(call.parameters.get("DurationHours") or 24)
    length = (plan.end - plan.start).total_seconds() / 3600 + hours
    try:
        _check_extendable(call, plan)
    except AwsError:
        return {"TrainingPlanOfferings": [], "TrainingPlanExtensionOfferings": []}
    if hours % 24 or length > MAX_DURATION_HOURS:
        return {"TrainingPlanOfferings": [], "TrainingPlanExtensionOfferings": []}
    offering: dict[str, Any] = {
        "TrainingPlanExtensionOfferingId": f"tpeo-{secrets.token_hex(16)}",
        "StartDate": plan.end,
        "EndDate": plan.end + timedelta(hours=hours),
        "DurationHours": hours,
        "CurrencyCode": "USD",
    }
    if plan.zone_name:
        offering["AvailabilityZone"] = plan.zone_name
    rate = catalog_facts.instance_price_usd(plan.instance_type, call.region, "training-plan-offer")
    if rate is not None:
        offering["UpfrontFee"] = str(rate * plan.instance_count * hours)
    plans_of(call).extension_offerings[offering["TrainingPlanExtensionOfferingId"]] = (
        plan.name,
        offering,
    )
    return {"TrainingPlanOfferings": [], "TrainingPlanExtensionOfferings": [offering]}


def _check_extendable(call: Call, plan: Plan) -> None:
    if plan.status_at(call.now) not in ("Active", "Scheduled"):
        raise _refused(f"Training plan {plan.name} is {plan.status_at(call.now)}.")


def _ultra_servers(request: Mapping[str, Any]) -> tuple[str, int]:
    """Return the type and the number of instances of the requested UltraServers."""
    name, count = request.get("UltraServerType"), int(request.get("UltraServerCount") or 1)
    if name is None:
        raise _refused("UltraServerCount needs UltraServerType.")
    if request.get("InstanceCount"):
        raise _refused("InstanceCount and UltraServerType exclude each other.")
    for found in catalog_facts.catalog().ultraservers.values():
        if catalog_facts.known(found.hyperpod_name) != name:
            continue
        instance_type = str(catalog_facts.known(found.instance_type))
        if catalog_facts.ec2_name(request.get("InstanceType") or instance_type) != instance_type:
            raise _refused(f"{name} has instances of type ml.{instance_type}.")
        return instance_type, count * int(catalog_facts.known(found.instance_count) or 0)
    return "", 0


@operation("sagemaker", "CreateTrainingPlan")
def create_training_plan(call: Call) -> Mapping[str, Any]:
    plans = plans_of(call)
    name = call.parameters["TrainingPlanName"]
    if name in plans.by_name:
        raise AwsError("ResourceInUse", f"Training plan {name} already exists.")
    offering = plans.offerings.get(call.parameters["TrainingPlanOfferingId"])
    if offering is None:
        raise AwsError("ResourceNotFound", "The training plan offering does not exist any more.")
    capacity = offering["ReservedCapacityOfferings"][0]
    instance_type = catalog_facts.ec2_name(capacity["InstanceType"])
    _require(call, PLANS_PER_REGION, 1, "Plans")
    code = catalog_facts.quota_code(instance_type, "reserved-capacity")
    if code is not None:
        _require(call, code, capacity["InstanceCount"], "Instances")
    fee = offering.get("UpfrontFee")
    servers = capacity.get("UltraServerCount")
    # API model, SpareInstanceCountPerUltraServer: "Default is 1."
    asked_spares = call.parameters.get("SpareInstanceCountPerUltraServer")
    if asked_spares is not None and not servers:
        raise _refused("SpareInstanceCountPerUltraServer is for plans of UltraServers.")
    spares = 0 if not servers else (1 if asked_spares is None else asked_spares) * servers
    if spares >= capacity["InstanceCount"]:
        raise _refused("SpareInstanceCountPerUltraServer leaves no instance to use.")
    plan = Plan(
        name=name,
        arn=call.arn("sagemaker", f"training-plan/{name}"),
        instance_type=instance_type,
        instance_count=capacity["InstanceCount"],
        zone_id=_zone_id(call.region, capacity["AvailabilityZone"]),
        zone_name=capacity["AvailabilityZone"],
        start=capacity["StartTime"],
        end=capacity["EndTime"],
        upfront_fee_usd=Decimal(fee) if fee else None,
        target_resources=offering["TargetResources"],
        ultra_server_type=capacity.get("UltraServerType"),
        ultra_server_count=servers,
        spare_count=spares,
        tags=list(call.parameters.get("Tags", ())),
    )
    plans.by_name[name] = plan
    del plans.offerings[call.parameters["TrainingPlanOfferingId"]]
    return {"TrainingPlanArn": plan.arn}


def plans_of(call: Call) -> Plans:
    return plans_in(call.runtime, call.account, call.region)


def plans_in(runtime: Runtime, account: str, region: str) -> Plans:
    def build() -> Plans:
        found = Plans()
        for seed in runtime.world.training_plans:
            zones = [seed.zone_id] if seed.zone_id else []
            zones = (
                zones or catalog_facts.zones_with(runtime.world, seed.instance_type, region)[:1]
            )
            zone_id = zones[0] if zones else None
            if zone_id and _zone_name(region, zone_id) is None:
                continue  # the zone belongs to another region
            found.by_name[seed.name] = Plan(
                name=seed.name,
                arn=_arn(account, region, seed.name),
                instance_type=seed.instance_type,
                instance_count=seed.instance_count,
                zone_id=zone_id,
                zone_name=_zone_name(region, zone_id) if zone_id else None,
                start=moment_of(seed.start, runtime.clock.now()),
                end=moment_of(seed.end, runtime.clock.now()),
                forced_status=seed.status,
                in_use_elsewhere=seed.in_use_instance_count,
                upfront_fee_usd=seed.upfront_fee_usd,
                ultra_server_type=seed.ultra_server_type,
                ultra_server_count=seed.ultra_server_count,
            )
        return found

    return runtime.store("training-plans", account, region, build)


def find(call: Call, name_or_arn: str) -> Plan:
    """Return a plan by name or ARN; worlds with `unlisted_plans` create plans that they do not
    list.

    Raises
    ------
    AwsError
        ResourceNotFound.
    """
    name = name_or_arn.rsplit("/", 1)[-1]
    arn = _arn(call.account, call.region, name)
    plans = plans_of(call)
    if name_or_arn in (name, arn):
        if name in plans.by_name:
            return plans.by_name[name]
        policy = call.world.unlisted_plans
        if policy != "none":
            plans.by_name[name] = _unlisted(call, name, policy)
            return plans.by_name[name]
    raise AwsError("ResourceNotFound", f"Training plan {name_or_arn} does not exist.")


def plan_in(runtime: Runtime, account: str, region: str, arn: str) -> Plan | None:
    """Return an existing plan by ARN."""
    return plans_in(runtime, account, region).by_name.get(arn.rsplit("/", 1)[-1])


def check_plans(
    call: Call,
    groups: Sequence[Mapping[str, Any]],
    before: Mapping[str, int],
    *,
    cluster: Cluster | None,
) -> None:
    """Refuse groups whose plan is missing, expired, of another type, or too small.

    Raises
    ------
    AwsError
        ValidationException or ResourceLimitExceeded. AWS's messages are not known; these are ours.
    """
    requested: dict[str, int] = {}
    for group in groups:
        arn = group.get("TrainingPlanArn")
        if not arn:
            continue
        name = group["InstanceGroupName"]
        if cluster is not None and group["InstanceCount"] <= before.get(name, -1):
            requested[arn] = requested.get(arn, 0) + group["InstanceCount"]
            continue
        plan = _find_for_group(call, arn, name)
        status = plan.status_at(call.now)
        if status not in ("Active", "Scheduled"):
            raise _refused(
                f"Training plan {plan.name} of instance group {name} is {status}"
                + (f" since {plan.end:%Y-%m-%d %H:%M} UTC." if status == "Expired" else ".")
            )
        if HYPERPOD not in plan.target_resources:
            raise _refused(f"Training plan {plan.name} is not for HyperPod clusters.")
        types = [catalog_facts.ec2_name(t) for t in _types(group)]
        if types != [plan.instance_type]:
            raise _refused(
                f"Training plan {plan.name} is for ml.{plan.instance_type}; instance group "
                f"{name} has {', '.join('ml.' + t for t in types)}."
            )
        requested[arn] = requested.get(arn, 0) + group["InstanceCount"]
    for arn, count in requested.items():
        plan = find(call, arn)
        elsewhere = plan.in_use_elsewhere + _in_use(call, plan, without=cluster)
        usable = plan.instance_count - plan.spare_count
        if elsewhere + count > usable:
            raise AwsError(
                "ResourceLimitExceeded",
                f"Training plan {plan.name} has {usable} instances, {elsewhere} are "
                f"in use and {count} are requested.",
            )


def check_plan_zones(call: Call, group: Mapping[str, Any], zones: set[str]) -> None:
    """Refuse subnets that are not in the plan's zone."""
    arn = group.get("TrainingPlanArn")
    if not arn:
        return
    plan = _find_for_group(call, arn, group["InstanceGroupName"])
    if plan.zone_id is not None and plan.zone_id not in zones:
        raise _refused(
            f"Training plan {plan.name} is in {plan.zone_id}; the subnets of instance group "
            f"{group['InstanceGroupName']} are in {', '.join(sorted(zones))}."
        )


def register_usage() -> None:
    """Return the usage of a quota by reserved capacity of plans."""

    @quotas.counts_usage("sagemaker", PLANS_PER_REGION)
    def count(runtime: Runtime, account: str, region: str) -> float:
        return len(_unexpired(runtime, account, region))

    for name in sorted(catalog_facts.catalog().hyperpod_names):
        instance_type = catalog_facts.ec2_name(name)
        code = catalog_facts.quota_code(instance_type, "reserved-capacity")
        if code is not None:
            _count_type(code, instance_type)


def _count_type(code: str, instance_type: str) -> None:
    @quotas.counts_usage("sagemaker", code)
    def used(runtime: Runtime, account: str, region: str) -> float:
        return sum(
            plan.instance_count
            for plan in _unexpired(runtime, account, region)
            if plan.instance_type == instance_type
        )


def _unexpired(runtime: Runtime, account: str, region: str) -> list[Plan]:
    now = runtime.clock.now()
    found = plans_in(runtime, account, region).by_name.values()
    return [plan for plan in found if plan.status_at(now) not in ("Expired", "Failed")]


def _unlisted(call: Call, name: str, policy: str) -> Plan:
    instance_type = next(
        (
            catalog_facts.ec2_name(candidate)
            for candidate in sorted(catalog_facts.catalog().hyperpod_names, key=len, reverse=True)
            if catalog_facts.ec2_name(candidate).replace(".", "-") in name
        ),
        UNLISTED_TYPE,
    )
    start, end = _UNLISTED_TIMES[policy]
    return Plan(
        name=name,
        arn=_arn(call.account, call.region, name),
        instance_type=instance_type,
        instance_count=UNLISTED_COUNT,
        zone_id=None,
        zone_name=None,
        start=moment_of(start, call.now),
        end=moment_of(end, call.now),
    )


def _view(call: Call, plan: Plan, *, spares: bool) -> dict[str, Any]:
    now = call.now
    in_use = plan.in_use_elsewhere + _in_use(call, plan, without=None)
    hours, minutes = divmod(int((plan.end - plan.start).total_seconds() // 60), 60)
    status = plan.status_at(now)
    capacity: dict[str, Any] = {
        "ReservedCapacityArn": plan.arn.replace(
            f"training-plan/{plan.name}", f"reserved-capacity/{plan.capacity_id}"
        ),
        "ReservedCapacityType": "UltraServer" if plan.ultra_server_type else "Instance",
        "InstanceType": f"ml.{plan.instance_type}",
        "TotalInstanceCount": plan.instance_count,
        "Status": status,
        "DurationHours": hours,
        "DurationMinutes": minutes,
        "StartTime": plan.start,
        "EndTime": plan.end,
    }
    if plan.zone_id and plan.zone_name:
        capacity["AvailabilityZone"] = plan.zone_name
        capacity["AvailabilityZoneId"] = plan.zone_id
    if plan.ultra_server_type:
        capacity["UltraServerType"] = plan.ultra_server_type
        capacity["UltraServerCount"] = plan.ultra_server_count or 1
    answer: dict[str, Any] = {
        "TrainingPlanArn": plan.arn,
        "TrainingPlanName": plan.name,
        "Status": status,
        "DurationHours": hours,
        "DurationMinutes": minutes,
        "StartTime": plan.start,
        "EndTime": plan.end,
        "CurrencyCode": "USD",
        "TotalInstanceCount": plan.instance_count,
        "AvailableInstanceCount": max(0, plan.instance_count - plan.spare_count - in_use),
        "InUseInstanceCount": in_use,
        "TargetResources": plan.target_resources,
        "ReservedCapacitySummaries": [capacity],
    }
    if plan.ultra_server_type:
        answer["TotalUltraServerCount"] = plan.ultra_server_count or 1
    if spares:
        answer["UnhealthyInstanceCount"] = 0
        answer["AvailableSpareInstanceCount"] = plan.spare_count
    if plan.upfront_fee_usd is not None:
        answer["UpfrontFee"] = str(plan.upfront_fee_usd)
    return answer


def _offering(
    call: Call,
    name: str,
    count: int,
    hours: int,
    start: datetime,
    end: datetime,
    zone_id: str,
    rate_usd_per_hour: Decimal | None,
) -> dict[str, Any]:
    capacity = {
        "ReservedCapacityType": "Instance",
        "InstanceType": name,
        "InstanceCount": count,
        "AvailabilityZone": _zone_name(call.region, zone_id) or zone_id,
        "DurationHours": hours,
        "DurationMinutes": 0,
        "StartTime": start,
        "EndTime": end,
    }
    request = call.parameters
    answer: dict[str, Any] = {
        "TrainingPlanOfferingId": f"tpo-{secrets.token_hex(16)}",
        "TargetResources": call.parameters.get("TargetResources") or [HYPERPOD],
        "DurationHours": hours,
        "DurationMinutes": 0,
        "CurrencyCode": "USD",
        "ReservedCapacityOfferings": [capacity],
    }
    for given, shown in (
        ("StartTimeAfter", "RequestedStartTimeAfter"),
        ("EndTimeBefore", "RequestedEndTimeBefore"),
    ):
        if request.get(given):
            answer[shown] = aware(request[given])
    if rate_usd_per_hour is not None:
        answer["UpfrontFee"] = str(rate_usd_per_hour * count * hours)
    return answer


def _find_for_group(call: Call, arn: str, group_name: str) -> Plan:
    try:
        return find(call, arn)
    except AwsError:
        raise _refused(
            f"Training plan {arn} of instance group {group_name} does not exist."
        ) from None


def _in_use(call: Call, plan: Plan, *, without: Cluster | None) -> int:
    return sum(
        group.target_count
        for cluster in store(call.runtime, call.account, call.region).by_name.values()
        if cluster is not without
        for group in cluster.groups.values()
        if group.plan_arn == plan.arn
    )


def _types(group: Mapping[str, Any]) -> list[str]:
    if group.get("InstanceType"):
        return [str(group["InstanceType"])]
    return list(group["InstanceRequirements"]["InstanceTypes"])


def _refused(message: str) -> AwsError:
    return AwsError("ValidationException", message)


def _require(call: Call, code: str, more: int, unit: str) -> None:
    quotas.require(call.runtime, call.account, call.region, "sagemaker", code, more, unit=unit)


def _arn(account: str, region: str, name: str) -> str:
    from clusterwright_localaws.services.ec2.zones import partition_of

    return f"arn:{partition_of(region)}:sagemaker:{region}:{account}:training-plan/{name}"


def _zone_name(region: str, zone_id: str) -> str | None:
    from clusterwright_localaws.services.ec2.zones import zone_name

    return zone_name(region, zone_id)


def _zone_id(region: str, name: str) -> str | None:
    from clusterwright_localaws.services.ec2.zones import zone_id_of

    return zone_id_of(region, name)
