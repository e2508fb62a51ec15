"""Quotas in the data."""

from __future__ import annotations

from clusterwright.catalog import Unknown, load_catalog
from clusterwright.catalog.building import inputs

CATALOG = load_catalog()


def test_known_wrong_quota_codes_are_not_used() -> None:
    rejected = {row["code"] for row in inputs.rows("rejected_quota_codes.csv")}
    assert len(rejected) == 6
    assert not rejected & {quota.code for quota in CATALOG.quotas}


def test_quota_codes_are_unique_and_unknown_defaults_stay_unknown() -> None:
    codes = [(q.service, q.code) for q in CATALOG.quotas if q.code]
    assert len(codes) == len(set(codes)) == 151
    total = CATALOG.quota("sagemaker", "L-3308CCC7")
    assert total is not None
    assert isinstance(total.default, Unknown)
    assert "30" in total.default.reason
