"""Contents of resource types, and effects of updates."""

from __future__ import annotations

import pytest

from clusterwright.review.resource_types import (
    HOLDS,
    HOLDS_NOTHING,
    IN_PLACE,
    INTERRUPTS,
    KEEPS_ITS_ID,
    REPLACED_TOO,
    RUNS_JOBS,
    SNAPSHOT_WITHOUT_POLICY,
    holds,
)


def test_no_type_is_in_both_tables() -> None:
    assert not HOLDS.keys() & HOLDS_NOTHING
    assert HOLDS.keys() >= RUNS_JOBS
    assert HOLDS.keys() >= SNAPSHOT_WITHOUT_POLICY
    assert HOLDS.keys() | HOLDS_NOTHING >= KEEPS_ITS_ID


def test_every_replacement_beyond_the_schema_has_a_source() -> None:
    sources = [source for rows in REPLACED_TOO.values() for _, source in rows]
    assert all(source.startswith("https://docs.aws.amazon.com/") for source in sources)
    assert all(source.startswith("https://") for source in IN_PLACE.values())


def test_in_place_does_not_mean_without_interruption() -> None:
    known = {(kind, pointer[0]) for kind, pointer in INTERRUPTS}
    assert set(IN_PLACE) - known == {("AWS::RDS::DBInstance", "AutoMinorVersionUpgrade")}


@pytest.mark.parametrize(
    ("kind", "kept", "expected"),
    [
        ("AWS::FSx::FileSystem", False, "files"),
        ("AWS::EC2::Subnet", False, None),
        ("AWS::EC2::Subnet", True, None),
        ("Custom::LogRetention", False, None),
        ("Custom::LogRetention", True, "possibly data: the contents of this type are unknown"),
        ("AWS::New::Type", False, "possibly data: the contents of this type are unknown"),
    ],
)
def test_unknown_types_count_as_holding_data(kind: str, kept: bool, expected: str | None) -> None:
    assert holds(kind, kept_by_policy=kept) == expected
