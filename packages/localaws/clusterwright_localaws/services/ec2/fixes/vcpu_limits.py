"""moto launches any number of instances; EC2 has a vCPU quota per family."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import moto_state, quotas
from clusterwright_localaws.core.catalog_facts import catalog, quota_code, vcpus_of
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime, runtime
from clusterwright_localaws.services.ec2.capacity_checks import check_vcpus
from clusterwright_localaws.services.ec2.reserved import reserved_vcpus

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: RunInstances refuses with VcpuLimitExceeded (Spot: MaxSpotInstanceCountExceeded) beyond "
    "the family's vCPU quota of the world, reserved instances included"
)
_USES = ("ec2-on-demand", "ec2-spot")
_counted: set[str] = set()


def apply() -> None:
    from moto.ec2.models import EC2Backend

    run_in_moto = EC2Backend.run_instances

    def run_instances(self: Any, image_id: str, count: int, *arguments: Any, **named: Any) -> Any:
        reserved = named.pop("instances_in_reservations", 0)
        if runtime().active and count > reserved:
            _check(self, count - reserved, named)
        return run_in_moto(self, image_id, count, *arguments, **named)

    EC2Backend.run_instances = run_instances  # type: ignore[method-assign]
    for name in catalog().described_names:
        for use in _USES:
            _count(name, use)


def _check(ec2: Any, count: int, named: dict[str, Any]) -> None:
    from moto.ec2.exceptions import EC2ClientError

    market = named.get("instance_market_options")
    if market == "capacity-block":
        return  # Capacity Blocks do not count against On-Demand limits (EC2 user guide)
    use = "ec2-spot" if market == "spot" else "ec2-on-demand"
    instance_type = str(named.get("instance_type") or "")
    try:
        check_vcpus(runtime(), ec2.account_id, ec2.region_name, instance_type, count, use)
    except AwsError as error:
        raise EC2ClientError(error.code, error.message) from error


def _count(name: str, use: str) -> None:
    code = quota_code(name, use)
    if code is None or code in _counted:
        return
    _counted.add(code)

    @quotas.counts_usage("ec2", code)
    def used(current: Runtime, account: str, region: str) -> float:
        found = _vcpus_running(account, region, code, spot=use == "ec2-spot")
        if use == "ec2-on-demand":
            found += reserved_vcpus(current, account, region, code)
        return found


def _vcpus_running(account: str, region: str, code: str, *, spot: bool) -> float:
    use = "ec2-spot" if spot else "ec2-on-demand"
    total = 0
    for reservation in list(moto_state.backend("ec2", account, region).reservations.values()):
        for instance in reservation.instances:
            if instance.state not in ("pending", "running"):
                continue
            if (instance.lifecycle == "spot") != spot or instance.lifecycle == "capacity-block":
                continue
            if getattr(instance, "capacity_reservation_id", None):
                continue  # its reservation counts
            if quota_code(instance.instance_type, use) == code:
                total += vcpus_of(instance.instance_type) or 0
    return float(total)
