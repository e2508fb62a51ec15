"""Tests of CW-Q063."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.quotas import QuotaValue
from clusterwright.preflight.facts.account import NamedQuotas
from clusterwright.preflight.facts.pcs import PcsClusters
from tests.preflight.harness import Harness
from tests.preflight.rules.support.pcs import SPEC
from tests.preflight.rules.support.platforms import PARALLELCLUSTER

PARTS = (("Clusters in creating state", 1.0), ("Queues per clusters", 10.0))


def _facts(clusters: tuple[str, ...], *named: tuple[str, float]) -> dict[Any, Any]:
    return {
        PcsClusters(): dict.fromkeys(clusters, "ACTIVE"),
        NamedQuotas("pcs", "clusters"): tuple(
            QuotaValue("pcs", f"L-{index}", name, value, "None", True, True)
            for index, (name, value) in enumerate(named)
        ),
    }


def test_clusters_of_others_count_against_the_quota_of_the_account(rule: Harness) -> None:
    rule.fails(
        "CW-Q063",
        SPEC,
        _facts(("a", "b"), ("Clusters", 2.0), *PARTS),
        path="platform",
        message="the cluster needs 1 of 'Clusters', and 2 others of 2 exist in us-east-1",
        numbers=(1, 2, 2.0),
    )
    rule.passes("CW-Q063", SPEC, _facts(("a", "test"), ("Clusters", 2.0), *PARTS))
    rule.passes("CW-Q063", PARALLELCLUSTER, tested=False)


def test_without_a_single_quota_of_clusters_the_limit_is_unknown(rule: Harness) -> None:
    for named, found in (((), "none"), ((("Clusters", 5.0), ("Small clusters", 3.0)),
                                         "Clusters, Small clusters")):  # fmt: skip
        rule.unsure(
            "CW-Q063",
            SPEC,
            _facts(("a",), *named),
            path="platform",
            message=f"Service Quotas has no single one (found: {found})",
        )
