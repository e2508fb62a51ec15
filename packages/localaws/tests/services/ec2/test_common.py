"""Helpers of EC2's operations: ids, dry runs, filters, tags."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.common import (
    filter_name,
    forget_tags,
    matches,
    new_id,
    refuse_dry_run,
    tag_new,
    tags_of,
)

SHAPE = {
    "State": "active",
    "Ebs": True,
    "EndDate": dt.datetime(2026, 11, 21, 11, 30, tzinfo=dt.UTC),
    "Tags": [{"Key": "team", "Value": "ml"}],
}
NAMES = {"state": "State", "ebs": "Ebs", "end-date": "EndDate", "zone": "Zone"}


def call(aws: Runtime, **parameters: Any) -> Call:
    return Call("ec2", "Create", aws.world.account, "us-east-1", aws, parameters)


def test_ids_have_ec2s_long_form() -> None:
    assert re.fullmatch(r"cr-[0-9a-f]{17}", new_id("cr"))


def test_a_dry_run_is_answered_with_the_error_of_success(aws: Runtime) -> None:
    refuse_dry_run(call(aws))
    with pytest.raises(AwsError, match="Request would have succeeded") as caught:
        refuse_dry_run(call(aws, DryRun=True))
    assert (caught.value.code, caught.value.status) == ("DryRunOperation", 412)


@pytest.mark.parametrize("filter_", [{}, {"Name": "", "Values": ["x"]}])
def test_a_filter_without_a_name_is_refused(filter_: dict[str, Any]) -> None:
    with pytest.raises(AwsError) as caught:
        filter_name(filter_)
    assert caught.value.code == "MissingParameter"


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("state", ["pending", "act*"], True),
        ("state", ["ACTIVE"], False),
        ("ebs", ["true"], True),
        ("end-date", ["2026-11-21T11:30:00.000Z"], True),
        ("end-date", ["2026-11-2?T*"], True),
        ("zone", [""], True),
        ("tag:team", ["m?"], True),
        ("tag:other", ["*"], False),
        ("tag-key", ["te*"], True),
        ("tag-key", ["other"], False),
        ("state", [], False),
    ],
)
def test_filters(name: str, values: list[str], expected: bool) -> None:
    assert matches(SHAPE, [{"Name": name, "Values": values}], NAMES) is expected


def test_every_filter_must_match() -> None:
    both = [{"Name": "state", "Values": ["active"]}, {"Name": "ebs", "Values": ["false"]}]
    assert not matches(SHAPE, both, NAMES)
    with pytest.raises(AwsError, match="does not implement the filter 'colour'"):
        matches(SHAPE, [{"Name": "colour", "Values": ["x"]}], NAMES)


def test_tags_of_a_creation_belong_to_their_resource_type(aws: Runtime) -> None:
    specification = [
        {"ResourceType": "volume", "Tags": [{"Key": "a", "Value": "1"}]},
        {"ResourceType": "placement-group", "Tags": [{"Key": "b", "Value": "2"}]},
    ]
    of = call(aws, TagSpecifications=specification)
    tag_new(of, "pg-1", "placement-group")
    assert tags_of(of, "pg-1") == [{"Key": "b", "Value": "2"}]
    forget_tags(of, "pg-1")
    assert tags_of(of, "pg-1") == []
