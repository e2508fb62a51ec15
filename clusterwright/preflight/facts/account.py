"""The caller's account and its applied quotas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import cloudwatch, quotas, sts
from clusterwright.preflight.facts.fact import Fact, Place, Reading, answered, ask


@dataclass(frozen=True)
class CallerAccount(Fact[str]):
    """The account of the credentials."""

    actions: ClassVar = ("sts:GetCallerIdentity",)
    function: ClassVar = sts.account


@dataclass(frozen=True)
class QuotaState:
    """Applied value of a quota, and its current usage if AWS measures it."""

    value: float
    measured_use: float | None = None
    adjustable: bool | None = None
    """Whether AWS increases it on request; None if unknown."""


@dataclass(frozen=True)
class NamedQuotas(Fact[tuple[quotas.QuotaValue, ...]]):
    """The quotas of a service whose name contains some words: for a code that no source states."""

    service: str
    words: str
    actions: ClassVar = (
        "servicequotas:ListAWSDefaultServiceQuotas",
        "servicequotas:ListServiceQuotas",
    )

    def read(self) -> Reading[tuple[quotas.QuotaValue, ...]]:
        (found,) = yield [ask(quotas.quotas_named, self.service, self.words)]
        values: tuple[quotas.QuotaValue, ...] = answered(found)
        return values


def quota_arn(place: Place, service: str, code: str) -> str:
    """Return the ARN of a quota for a cluster in a place."""
    region = quotas.region_of(service, place.region)
    return f"arn:{place.partition}:servicequotas:{region}:{place.account}:{service}/{code}"


@dataclass(frozen=True)
class AppliedQuota(Fact[QuotaState]):
    """The applied value of a quota; AWS's default is never used in its place.

    If Service Quotas names a usage metric, it is read too: it also counts what this identity
    cannot list.
    """

    service: str
    code: str
    actions: ClassVar = ("servicequotas:GetServiceQuota", "cloudwatch:GetMetricStatistics")

    def resources(self, place: Place) -> Mapping[str, str]:
        return {"servicequotas:GetServiceQuota": quota_arn(place, self.service, self.code)}

    def read(self) -> Reading[QuotaState]:
        (found,) = yield [ask(quotas.applied_quota, self.service, self.code)]
        quota: quotas.AppliedQuota = answered(found)
        metric = quota.usage
        if metric is None:
            return QuotaState(quota.value, adjustable=quota.adjustable)
        (use,) = yield [
            ask(
                cloudwatch.latest,
                metric.namespace,
                metric.name,
                metric.dimensions,
                metric.statistic,
                metric.region,
            )
        ]
        return QuotaState(quota.value, answered(use), quota.adjustable)
