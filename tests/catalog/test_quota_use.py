"""Quotas of uses of instance types."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import (
    Catalog,
    Known,
    Unknown,
    load_catalog,
)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def value(fact: Known[Any] | Unknown) -> Any:
    assert isinstance(fact, Known), fact
    return fact.value


@pytest.mark.parametrize(
    ("name", "use", "code"),
    [
        ("p5.48xlarge", "hyperpod-cluster", "L-8762A75F"),
        ("p5.48xlarge", "hyperpod-spot", "L-F742E2D7"),
        ("p5.48xlarge", "reserved-capacity", "L-9EF527CA"),
        ("p5.48xlarge", "ec2-on-demand", "L-417A185B"),
        ("p5.48xlarge", "ec2-spot", "L-7212CCBC"),
        ("p5.4xlarge", "capacity-block", "L-DA6814F2"),
        ("p5en.48xlarge", "capacity-block", "L-4F9BB70B"),
        ("p6-b200.48xlarge", "ec2-on-demand", "L-417A185B"),
        ("trn1.32xlarge", "ec2-on-demand", "L-2C3B7624"),
        ("trn2.48xlarge", "capacity-block", "L-64569A79"),
        ("g5.48xlarge", "ec2-on-demand", "L-DB2E81BA"),
        ("inf2.48xlarge", "ec2-spot", "L-B5D1601B"),
        ("m5.8xlarge", "ec2-on-demand", "L-1216C47A"),
        ("m5.4xlarge", "hyperpod-cluster", "L-24520F3F"),
    ],
)
def test_each_use_has_its_quota(catalog: Catalog, name: str, use: Any, code: str) -> None:
    quota = value(catalog.quota_for(name, use))
    assert quota.code == code
    assert catalog.quota(quota.service, code) == quota


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("p6-b200.48xlarge", "capacity-block"),
        ("p4de.24xlarge", "capacity-block"),
        ("trn1n.32xlarge", "reserved-capacity"),
        ("m5.8xlarge", "hyperpod-cluster"),
        ("u7i-12tb.224xlarge", "ec2-on-demand"),
        ("gr6.8xlarge", "ec2-on-demand"),
    ],
)
def test_use_without_a_documented_quota_is_unknown(catalog: Catalog, name: str, use: Any) -> None:
    assert isinstance(catalog.quota_for(name, use), Unknown)
