"""Quotas of the world: applied values, usage, and the refusal of requests that exceed them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime

# "Ample" is a finite number, so that arithmetic and messages work as with any quota.
AMPLE_BY_UNIT = {"vCPU": 2_000_000.0, "GiB": 10_000_000.0, "MBps": 10_000_000.0}
AMPLE = 10_000.0

Usage = Callable[[Runtime, str, str], float]


@dataclass(frozen=True)
class AppliedQuota:
    """A quota of an account: `value` is `None` if neither the world nor a source has it."""

    service: str
    code: str
    name: str
    unit: str
    default: float | None
    value: float | None


PCS_CLUSTERS: Final = ("pcs", "L-00000000")
# (service, code) -> name and default of quotas whose code AWS does not publish: the codes are the
# local AWS's.
_UNPUBLISHED: Final = {PCS_CLUSTERS: ("Clusters", 5.0)}

# (service, code) -> counts the usage of this local AWS; the world has the usage by others.
_usage: dict[tuple[str, str], Usage] = {}


def counts_usage(service: str, *codes: str) -> Callable[[Usage], Usage]:
    """Register the function that counts the usage of quotas."""

    def register(function: Usage) -> Usage:
        for code in codes:
            _usage[service, code] = function
        return function

    return register


def services_with_unpublished() -> frozenset[str]:
    """Return the services that have quotas without a published code."""
    return frozenset(service for service, _ in _UNPUBLISHED)


def quota(runtime: Runtime, region: str, service: str, code: str) -> AppliedQuota | None:
    """Return one applied quota, or `None` for an unknown code."""
    key = f"{service}/{code}"
    described = catalog_facts.catalog().quota(service, code)
    own = _UNPUBLISHED.get((service, code))
    if described is None and own is None and key not in runtime.world.quotas:
        return None
    default = None if described is None else catalog_facts.known(described.default_in(region))
    name = described.name if described is not None else code
    if own is not None:
        name, default = own
    unit = described.unit if described is not None else "None"
    value = runtime.world.quotas.get(key)
    if value is None:
        value = _by_policy(runtime, default, unit)
    return AppliedQuota(
        service, code, name, unit, None if default is None else float(default), value
    )


def quotas(runtime: Runtime, region: str, service: str) -> Iterator[AppliedQuota]:
    """Return the quotas of a service by code: the catalogue's, unpublished and the world's."""
    codes = {
        entry.code
        for entry in catalog_facts.catalog().quotas
        if entry.service == service and entry.code is not None
    }
    codes.update(code for one, code in _UNPUBLISHED if one == service)
    codes.update(key.split("/")[1] for key in runtime.world.quotas if key.split("/")[0] == service)
    for code in sorted(codes):
        found = quota(runtime, region, service, code)
        if found is not None:
            yield found


def in_use(runtime: Runtime, account: str, region: str, service: str, code: str) -> float:
    """Return the usage of a quota, by resources of this local AWS and by others of the world."""
    counter = _usage.get((service, code))
    own = counter(runtime, account, region) if counter else 0.0
    return own + runtime.world.usage.get(f"{service}/{code}", 0.0)


def require(
    runtime: Runtime,
    account: str,
    region: str,
    service: str,
    code: str,
    more: float,
    *,
    unit: str = "Instances",
    error: str = "ResourceLimitExceeded",
) -> None:
    """Refuse a request that exceeds a quota; an unknown quota is not enforced.

    Raises
    ------
    AwsError
        `error`, with SageMaker's message ("The account-level service limit '…' is 0 Instances,
        with current utilization of 0 Instances and a request delta of 2 Instances. …"), as quoted
        in aws/amazon-sagemaker-examples#1543 and many others.
    """
    found = quota(runtime, region, service, code)
    if found is None or found.value is None or more <= 0:
        return
    used = in_use(runtime, account, region, service, code)
    if used + more > found.value:
        raise AwsError(
            error,
            f"The account-level service limit '{found.name}' is {_number(found.value)} {unit}, "
            f"with current utilization of {_number(used)} {unit} and a request delta of "
            f"{_number(more)} {unit}. Please use AWS Service Quotas to request an increase for "
            "this quota. If AWS Service Quotas is not available, contact AWS support to request "
            "an increase for this quota.",
        )


def _by_policy(runtime: Runtime, default: float | None, unit: str) -> float | None:
    if runtime.world.quota_policy == "documented":
        return None if default is None else float(default)
    ample = AMPLE_BY_UNIT.get(unit, AMPLE)
    return max(ample, 10 * float(default)) if default is not None else ample


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
