"""The demand on quotas before and after a change."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.account import AppliedQuota, QuotaState
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.registry import rule_files
from clusterwright.review.quota_delta import quota_deltas
from tests.support import specs

PATH = "compute.1.count"


def context(folder: Path, count: int) -> Context:
    spec = specs.load(folder, {PATH: count})
    return Context(spec, load_catalog(), dt.date(2026, 11, 20))


class Reader:
    """Every quota is 100, or denied."""

    def __init__(self, *, denied: bool = False) -> None:
        self.denied = denied
        self.asked: list[Any] = []

    def read(self, facts: Any) -> FactValues:
        self.asked = list(facts)
        refusal = AwsUnavailable(
            service="service-quotas",
            operation="GetServiceQuota",
            region="us-east-1",
            reason="denied",
            detail="no",
        )
        return FactValues({f: refusal if self.denied else QuotaState(100.0) for f in facts})


def found(before: Context | None, after: Context, reader: Any = None) -> dict[str, Any]:
    return {d.label: d for d in quota_deltas(rule_files(), before, after, reader)}


def test_only_quotas_whose_demand_changes(tmp_path: Path) -> None:
    before, after = context(tmp_path, 4), context(tmp_path, 6)
    deltas = found(before, after)
    changed = deltas["ml.p5.48xlarge for cluster usage"]
    assert (changed.before, changed.after, changed.delta) == (4, 6, 2)
    assert (changed.service, changed.limit) == ("sagemaker", None)
    assert found(before, before) == {}
    assert "VPCs per Region" not in deltas


def test_a_new_cluster_is_compared_with_nothing(tmp_path: Path) -> None:
    deltas = found(None, context(tmp_path, 4))
    assert deltas["ml.p5.48xlarge for cluster usage"].before == 0
    assert deltas["VPCs per Region"].after == 1


def test_limits_are_read_for_quotas_with_a_code(tmp_path: Path) -> None:
    reader = Reader()
    deltas = found(context(tmp_path, 4), context(tmp_path, 6), reader)
    assert all(isinstance(fact, AppliedQuota) for fact in reader.asked)
    assert {fact.code for fact in reader.asked} == {d.code for d in deltas.values() if d.code}
    assert {d.limit for d in deltas.values() if d.code} == {100.0}


def test_a_denied_limit_is_unknown(tmp_path: Path) -> None:
    deltas = found(context(tmp_path, 4), context(tmp_path, 6), Reader(denied=True))
    assert {d.limit for d in deltas.values()} == {None}
