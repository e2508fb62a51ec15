"""Rules of security groups in EC2 against those of the deployed templates."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.review.results import SpecChange
from clusterwright.review.security_group_drift import (
    EVERYTHING_OUT,
    LiveRule,
    live_rule,
    rule_drift,
)
from tests.review.templates import app, export, resource, stack

GROUP = "AWS::EC2::SecurityGroup"
SSH = LiveRule("in", "tcp", 22, 22, "0.0.0.0/0")
LUSTRE = LiveRule("in", "tcp", 988, 988, "sg-nodes")
IDS = {("n", "Nodes"): "sg-nodes", ("n", "Files"): "sg-files"}


def get(name: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [name, "GroupId"]}


NETWORK = stack(
    {
        "Nodes": resource(GROUP, GroupDescription="nodes"),
        "Files": resource(GROUP, GroupDescription="files"),
        "Rule": resource(
            "AWS::EC2::SecurityGroupIngress",
            GroupId=get("Files"),
            IpProtocol="tcp",
            FromPort=988,
            ToPort=988,
            SourceSecurityGroupId=get("Nodes"),
        ),
    },
    Outputs={"F": export("files", get("Files"))},
)


def drift(*rules: LiveRule, **stacks: Any) -> tuple[SpecChange, ...]:
    live = {"sg-nodes": frozenset({EVERYTHING_OUT}), "sg-files": frozenset(rules)}
    return rule_drift(app(n=NETWORK, **stacks), IDS, live)[0]


def test_rules_as_deployed_are_no_drift() -> None:
    assert drift(LUSTRE) == ()
    assert drift(LUSTRE, EVERYTHING_OUT) == ()


def test_added_and_revoked_rules_are_drift() -> None:
    assert drift(SSH) == (
        SpecChange("n/Files.rules", "tcp 988-988 from sg-nodes", None),
        SpecChange("n/Files.rules", None, "tcp 22-22 from 0.0.0.0/0"),
    )


def test_rules_of_one_protocol_with_and_without_ports_are_drift() -> None:
    every_port = live_rule("in", "tcp", 0, 65535, "::/0")
    assert drift(LUSTRE, SSH, every_port) == (
        SpecChange("n/Files.rules", None, "tcp from ::/0"),
        SpecChange("n/Files.rules", None, "tcp 22-22 from 0.0.0.0/0"),
    )


def test_rule_of_another_stack_belongs_to_its_group() -> None:
    own = resource(
        "AWS::EC2::SecurityGroupIngress",
        GroupId={"Fn::ImportValue": "files"},
        IpProtocol="tcp",
        FromPort=22,
        ToPort=22,
        CidrIp="0.0.0.0/0",
    )
    assert drift(LUSTRE, SSH, other=stack({"Rule": own})) == ()
    assert drift(LUSTRE, other=stack({"Rule": own})) == (
        SpecChange("n/Files.rules", "tcp 22-22 from 0.0.0.0/0", None),
    )


def test_group_with_an_unreadable_rule_is_not_compared() -> None:
    own = resource(
        "AWS::EC2::SecurityGroupIngress",
        GroupId={"Fn::ImportValue": "files"},
        IpProtocol="tcp",
        SourcePrefixListId={"Fn::FindInMap": ["a", "b", "c"]},
    )
    found, compared = rule_drift(
        app(n=NETWORK, other=stack({"Rule": own})),
        IDS,
        {"sg-nodes": frozenset(), "sg-files": frozenset({SSH})},
    )
    assert found == ()
    assert compared == {("n", "Nodes")}


def test_deleted_group_is_left_to_cloudformation() -> None:
    assert rule_drift(app(n=NETWORK), IDS, {})[1] == frozenset()


def test_own_egress_rules_replace_the_default_one() -> None:
    rules = [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/8"}]
    body = stack({"G": resource(GROUP, GroupDescription="g", SecurityGroupEgress=rules)})
    there = {"sg-1": frozenset({EVERYTHING_OUT})}
    found, _ = rule_drift(app(n=body), {("n", "G"): "sg-1"}, there)
    assert {change.after for change in found} == {None, "all traffic to 0.0.0.0/0"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("in", "6", 22, 22, "sg-1"), LiveRule("in", "tcp", 22, 22, "sg-1")),
        (("in", "-1", 0, 65535, "sg-1"), LiveRule("in", "-1", None, None, "sg-1")),
        (("out", "tcp", 0, 65535, "sg-1"), LiveRule("out", "tcp", None, None, "sg-1")),
        (("in", "icmp", -1, -1, "sg-1"), LiveRule("in", "icmp", None, None, "sg-1")),
    ],
)
def test_one_form_of_a_rule(given: Any, expected: LiveRule) -> None:
    assert live_rule(*given) == expected
