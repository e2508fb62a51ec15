"""Tests of services.rds.fixes.page_sizes."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize("size", [19, 101])
def test_page_has_20_to_100_records(size: int) -> None:
    found = refusal(client("rds").describe_db_instances, MaxRecords=size)
    assert found[0] == "InvalidParameterValue"
    assert client("rds").describe_db_instances(MaxRecords=20)["DBInstances"] == []
