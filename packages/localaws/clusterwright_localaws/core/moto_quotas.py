"""Quotas of the world for methods of moto, which creates any number of resources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clusterwright_localaws.core import moto_state, quotas
from clusterwright_localaws.core.quotas import AppliedQuota
from clusterwright_localaws.core.runtime import Runtime, runtime

Refusal = Callable[[AppliedQuota], Exception]


def limit(
    owner: Any,
    method: str,
    quota: tuple[str, str],
    refusal: Refusal,
    *,
    added: Callable[..., float | None] = lambda backend, *arguments, **named: 1.0,
    used: Callable[..., float] | None = None,
) -> None:
    """Make a method of a backend of moto refuse what exceeds a quota, in an active local AWS.

    Parameters
    ----------
    quota:
        Service and code.
    added:
        Returns what a call adds, by the backend and the arguments of the call; None where the
        quota does not apply to it.
    used:
        Returns what is used already, likewise; default: the usage that is counted for the quota.
    """
    in_moto = getattr(owner, method)

    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if runtime().active:
            more = added(self, *arguments, **named)
            if more is not None:
                before = None if used is None else used(self, *arguments, **named)
                require(self, quota, more, refusal, used=before)
        return in_moto(self, *arguments, **named)

    setattr(owner, method, call)


def require(
    backend: Any,
    quota: tuple[str, str],
    added: float,
    refusal: Refusal,
    *,
    used: float | None = None,
) -> None:
    """Raise `refusal` if the usage exceeds the quota with what is added."""
    found = quotas.quota(runtime(), backend.region_name, *quota)
    if found is None or found.value is None:
        return
    if used is None:
        used = quotas.in_use(runtime(), backend.account_id, backend.region_name, *quota)
    if used + added > found.value:
        raise refusal(found)


def count(quota: tuple[str, str], service: str, usage: Callable[[Any], float]) -> None:
    """Count the usage of a quota in moto's backend of `service` (`ec2`)."""

    @quotas.counts_usage(*quota)
    def counted(current: Runtime, account: str, region: str) -> float:
        return float(usage(moto_state.backend(service, account, region)))
