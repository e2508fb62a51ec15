"""Tests of services.rds.fixes.option_groups."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def _names(**parameters: str) -> list[str]:
    found = client("rds").describe_option_groups(**parameters)["OptionGroupsList"]
    return [one["OptionGroupName"] for one in found]


def test_option_groups_are_listed_without_a_name() -> None:
    assert _names() == []
    for name, engine, version in (("one", "mysql", "8.0"), ("two", "mariadb", "10.6")):
        client("rds").create_option_group(
            OptionGroupName=name,
            EngineName=engine,
            MajorEngineVersion=version,
            OptionGroupDescription="of a test",
        )
    assert _names() == ["one", "two"]
    assert _names(EngineName="mariadb") == ["two"]
    assert _names(EngineName="mysql", MajorEngineVersion="8.0") == ["one"]
    assert _names(EngineName="mysql", MajorEngineVersion="5.7") == []
    assert _names(OptionGroupName="two") == ["two"]


def test_named_option_group_must_exist() -> None:
    found = refusal(client("rds").describe_option_groups, OptionGroupName="none")
    assert found[0] == "OptionGroupNotFoundFault"
