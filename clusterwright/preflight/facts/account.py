"""Who is asking, and what the account may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import quotas, sts
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class CallerAccount(Fact[str]):
    """The account of the credentials."""

    actions: ClassVar = ("sts:GetCallerIdentity",)

    def read(self) -> Reading[str]:
        (account,) = yield [ask(sts.account)]
        return str(answered(account))


@dataclass(frozen=True)
class AppliedQuota(Fact[float]):
    """What the account has been given of one quota; never AWS's default in its place."""

    service: str
    code: str
    actions: ClassVar = ("servicequotas:GetServiceQuota",)

    def read(self) -> Reading[float]:
        (value,) = yield [ask(quotas.applied_quota, self.service, self.code)]
        return float(answered(value))
