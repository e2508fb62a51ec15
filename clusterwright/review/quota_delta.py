"""The demand on each quota before and after a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.account import AppliedQuota
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.facts.reader import FactReader
from clusterwright.preflight.registry import RuleFile
from clusterwright.preflight.rules.quotas.quota_rule import QuotaDemand, QuotaRule
from clusterwright.review.results import QuotaDelta

_Key = tuple[str, str | None, str]


def quota_deltas(
    files: Iterable[RuleFile], before: Context | None, after: Context, reader: FactReader | None
) -> tuple[QuotaDelta, ...]:
    """Every quota whose demand changes, with its limit where the account was read."""
    old: dict[_Key, float] = {}
    new: dict[_Key, float] = {}
    demands: dict[_Key, QuotaDemand] = {}
    for file in files:
        rule = file.rule if file.scope == "account" else None
        if not isinstance(rule, QuotaRule):
            continue
        for context, sums in ((before, old), (after, new)):
            if context is None:
                continue
            for _, demand in rule.subjects(context):
                key = (demand.service, demand.code, demand.label)
                demands[key] = demand
                # A rule with usage adds up over the account; others limit each resource.
                known = sums.get(key, 0)
                sums[key] = (
                    known + demand.amount if rule.usage.facts else max(known, demand.amount)
                )
    moved = [key for key in demands if old.get(key, 0) != new.get(key, 0)]
    limits = _limits(moved, reader)
    return tuple(
        QuotaDelta(
            service=key[0],
            code=key[1],
            label=key[2],
            unit=demands[key].unit,
            before=old.get(key, 0),
            after=new.get(key, 0),
            limit=limits.get(key),
        )
        for key in moved
    )


def _limits(keys: list[_Key], reader: FactReader | None) -> dict[_Key, float]:
    if reader is None:
        return {}
    facts = dict(_facts(keys))
    values = reader.read(list(facts.values()))
    return {
        key: float(values[fact].value)
        for key, fact in facts.items()
        if values.missing((fact,)) is None
    }


def _facts(keys: list[_Key]) -> Iterator[tuple[_Key, Fact]]:  # type: ignore[type-arg]
    for key in keys:
        service, code, _ = key
        if code is not None:
            yield key, AppliedQuota(service, code)
