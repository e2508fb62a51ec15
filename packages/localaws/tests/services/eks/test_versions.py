"""Tests of services.eks.versions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.eks import versions
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import client


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        yield build_eks_site()


@pytest.fixture
def eks(eks_site: EksSite) -> Any:
    eks_site.create()
    return client("eks")


def test_versions_follow_the_dated_calendar(eks_site: EksSite) -> None:
    eks = client("eks")
    shown = eks.describe_cluster_versions()["clusterVersions"]
    assert [each["clusterVersion"] for each in shown if each["defaultVersion"]] == [
        versions.NEWEST.name
    ]
    assert all(each["versionStatus"] != "UNSUPPORTED" for each in shown)
    everything = eks.describe_cluster_versions(includeAll=True)["clusterVersions"]
    assert [each["clusterVersion"] for each in everything] == [
        each.name for each in versions.VERSIONS
    ]
    for name, until in (("1.33", datetime(2026, 7, 29, tzinfo=UTC)),):
        found = eks.describe_cluster_versions(clusterVersions=[name])["clusterVersions"][0]
        assert found["endOfStandardSupportDate"] == until
    before, after = datetime(2026, 7, 28, tzinfo=UTC), datetime(2026, 7, 29, tzinfo=UTC)
    version = next(each for each in versions.VERSIONS if each.name == "1.33")
    assert (version.status_at(before), version.status_at(after)) == (
        "STANDARD_SUPPORT",
        "EXTENDED_SUPPORT",
    )
