"""Stacks, names and roles that affect a deployment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from clusterwright.aws.cloudformation.stacks import Stack, StackResource
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.iam import Simulated, Simulation
from clusterwright.platforms.stack_names import PARTS
from clusterwright.preflight.facts.deployment import (
    BoundaryLeaves,
    DeployedRoleMay,
    NamedSecret,
    OwnStacks,
    Role,
    RoleMay,
    Stacks,
)
from clusterwright.preflight.facts.fact import Fact, Place

PLACE = Place("aws", "us-east-1", "111122223333")
STACK = Stack("dev-identity", "CREATE_COMPLETE", None, protected=False)
RESOURCE = StackResource("ExecutionRole1", "AWS::IAM::Role", "dev-role")
ASKED = (Simulation(("s3:GetObject",)), Simulation(("kms:Decrypt",)))
ALLOWED = Simulated("s3:GetObject", "*", "allowed", (), None, None)


def read(fact: Fact[Any], *rounds: list[Any]) -> tuple[Any, list[list[Any]]]:
    """The value that the fact has with these answers, and the arguments of its requests."""
    reading = fact.read()
    asked = [[request.arguments for request in next(reading)]]
    for answers in rounds:
        try:
            asked.append([request.arguments for request in reading.send(answers)])
        except StopIteration as end:
            return end.value, asked
    raise AssertionError(f"it asks further: {asked[-1]}")


def test_resources_of_existing_stacks() -> None:
    answers = [STACK if part == "identity" else None for part in PARTS]
    found, asked = read(Stacks("dev"), answers, [(RESOURCE,)])
    assert found == OwnStacks((STACK,), (RESOURCE,))
    assert asked == [[(f"dev-{part}",) for part in PARTS], [("dev-identity",)]]
    assert found.has("AWS::IAM::Role", "dev-role")
    assert not found.has("AWS::IAM::Policy", "dev-role")


def test_a_role_that_does_not_exist_cannot_be_simulated() -> None:
    assert read(RoleMay("arn", ASKED), [(ALLOWED,), None])[0] is None
    assert read(RoleMay("arn", ASKED), [(ALLOWED,), (ALLOWED,)])[0] == (ALLOWED, ALLOWED)


def test_a_boundary_is_read_before_it_is_simulated() -> None:
    found, asked = read(BoundaryLeaves("arn", ASKED), ["{}"], [(ALLOWED,), ()])
    assert found == (ALLOWED,)
    assert asked == [[("arn",)], [("{}", ASKED[0]), ("{}", ASKED[1])]]
    assert read(BoundaryLeaves("arn", ASKED), [None])[0] is None


DEPLOYED = DeployedRoleMay(
    "aws", "111122223333", "dev", "identity", "ExecutionRole.*", "/", ASKED[:1]
)


@pytest.mark.parametrize(
    "rounds",
    [
        [[None]],
        [[STACK], [(StackResource("Other", "AWS::IAM::Role", "other"),)]],
        [[STACK], [(StackResource("ExecutionRole1", "AWS::IAM::Role", ""),)]],
        [[STACK], [(RESOURCE,)], [None]],
    ],
)
def test_without_a_deployed_role_nothing_is_known(rounds: list[list[Any]]) -> None:
    assert read(DEPLOYED, *rounds)[0] is None


def test_the_deployed_role_is_simulated() -> None:
    found, asked = read(DEPLOYED, [STACK], [(RESOURCE,)], [(ALLOWED,)])
    assert found == (ALLOWED,)
    assert asked[2] == [("arn:aws:iam::111122223333:role/dev-role", ASKED[0])]


def test_a_role_is_found_by_its_stack_logical_id_and_path() -> None:
    fact = replace(DEPLOYED, part="cluster", logical_id="Groupworkers[0-9A-F]{8}", path="/nodes/")
    made = tuple(
        StackResource(logical_id, "AWS::IAM::Role", physical_id)
        for logical_id, physical_id in (
            ("Groupworkers2BD3A0224", "of-another-group"),
            ("GroupworkersBD3A0224", "dev-workers"),
        )
    )
    _, asked = read(fact, [STACK], [made], [(ALLOWED,)])
    assert asked[0] == [("dev-cluster",)]
    assert asked[2] == [("arn:aws:iam::111122223333:role/nodes/dev-workers", ASKED[0])]


def test_a_refusal_is_raised() -> None:
    refusal = AwsUnavailable(
        service="iam", operation="GetPolicy", region=None, reason="denied", detail="no"
    )
    with pytest.raises(AwsUnavailable):
        read(BoundaryLeaves("arn", ASKED), [refusal])


@pytest.mark.parametrize(
    ("fact", "arn"),
    [
        (Role("nodes"), "arn:aws:iam::111122223333:role/nodes"),
        (Role("fsx", "/aws-service-role/"), "arn:aws:iam::111122223333:role/*fsx"),
        (NamedSecret("munge"), "arn:aws:secretsmanager:us-east-1:111122223333:secret:munge*"),
        (NamedSecret("arn:aws:secretsmanager:x"), "arn:aws:secretsmanager:x"),
    ],
)
def test_arns_for_the_policy(fact: Fact[Any], arn: str) -> None:
    assert set(fact.resources(PLACE).values()) == {arn}
