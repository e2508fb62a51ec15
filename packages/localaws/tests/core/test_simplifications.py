"""What is not examined is said when it happens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clusterwright_localaws.core import simplifications
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.simplifications import SIMPLIFICATIONS, Simplification
from clusterwright_localaws.server import wire
from clusterwright_localaws.server.recording import Recorder
from clusterwright_localaws.worlds.model import World
from packages.localaws.tests.parts import client


def leaf(shape: Any, keys: list[str]) -> Any:
    """The shape at a path; None if no member has that name."""
    while shape is not None and shape.type_name == "list":
        shape = shape.member
    if not keys or shape is None:
        return shape
    return leaf(getattr(shape, "members", {}).get(keys[0]), keys[1:])


@pytest.mark.parametrize("one", SIMPLIFICATIONS, ids=lambda one: f"{one.service}-{one.text[:20]}")
def test_operations_and_members_are_those_of_the_model(one: Simplification) -> None:
    model = wire.service_model(one.service)
    inputs = [model.operation_model(name).input_shape for name in one.operations]
    for path in one.members:
        assert any(leaf(shape, path.split(".")) is not None for shape in inputs), path


def test_texts_are_different() -> None:
    found = [(one.service, name, one.text) for one in SIMPLIFICATIONS for name in one.operations]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("parameters", "count"),
    [
        ({"InstanceGroups": [{"ImageId": "ami-0abc"}]}, 1),
        ({"InstanceGroups": [{"InstanceGroupName": "a"}]}, 0),
        ({"InstanceGroups": [{}, {"ImageId": "ami-0abc"}], "AutoScaling": {"Mode": "Enable"}}, 2),
        ({"AutoScaling": {}}, 0),
    ],
)
def test_members_decide(parameters: Mapping[str, Any], count: int) -> None:
    found = simplifications.warnings_of("sagemaker", "CreateCluster", parameters, World())
    assert len(found) == count


def test_enforced_policies_are_no_simplification() -> None:
    assert simplifications.warnings_of("sts", "AssumeRole", {}, World())
    assert not simplifications.warnings_of("sts", "AssumeRole", {}, World(iam="enforced"))


class TestAnswers:
    @pytest.fixture
    def said(self, aws: Runtime) -> Iterator[list[str]]:
        found: list[str] = []
        aws.log = found.append
        yield found
        aws.log = None

    def test_each_warning_is_logged_once(
        self, said: list[str], aws: Runtime, tmp_path: Path
    ) -> None:
        aws.recorder = Recorder(tmp_path / "calls.jsonl")
        for name in ("one", "two"):
            client("logs").create_log_group(logGroupName=name)
            client("amp").create_workspace(alias=name)
        (first, second) = client("amp").list_workspaces()["workspaces"]
        for workspace in (first, second):
            client("amp").create_rule_groups_namespace(
                workspaceId=workspace["workspaceId"], name="rules", data=b"groups: []\n"
            )
        text = "rules and alert managers are stored and not evaluated"
        assert said == [f"warning: amp CreateRuleGroupsNamespace: {text}"]
        lines = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
        assert [line["warnings"] for line in lines] == [*[[]] * 5, [text], [text]]

    def test_a_refused_call_warns_of_nothing(self, said: list[str]) -> None:
        ec2 = client("ec2")
        with pytest.raises(ec2.exceptions.ClientError):
            ec2.run_instances(MinCount=1, MaxCount=1, SubnetId="subnet-0123456789abcdef0")
        assert said == []
