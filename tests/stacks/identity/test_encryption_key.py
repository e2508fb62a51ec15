"""Tests of encryption key."""

from __future__ import annotations

from tests.stacks.templates import only
from tests.support.rich_specs import MINIMAL
from tests.support.synthesis import Build


def test_key_rotates_and_its_policy_names_the_services(build: Build) -> None:
    key = only(build(MINIMAL), "AWS::KMS::Key")
    assert key["EnableKeyRotation"] is True
    sids = {s["Sid"] for s in key["KeyPolicy"]["Statement"]}
    assert sids == {"AccountAdministers", "LogGroups", "AlarmTopic", "LustreAssociations"}
    for statement in key["KeyPolicy"]["Statement"]:
        assert statement["Sid"] == "AccountAdministers" or statement["Condition"]
