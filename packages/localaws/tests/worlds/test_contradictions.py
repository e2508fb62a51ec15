"""Tests of worlds.contradictions."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from clusterwright_localaws.worlds.contradictions import with_changes
from clusterwright_localaws.worlds.loading import (
    WorldError,
    parse_world,
)
from clusterwright_localaws.worlds.model import World

SUBNET = "{id: subnet-%08x, vpc_id: vpc-0a0a0a0a, zone_id: use1-az6, cidr: %s}"


def problem_of(text: str) -> tuple[str, int | None, int | None]:
    with pytest.raises(WorldError) as caught:
        parse_world(text, "w.yaml")
    first = caught.value.problems[0]
    return first.message, first.line, first.column


def test_changes_are_checked() -> None:
    assert with_changes(World(), {"region": "us-west-2"}).region == "us-west-2"
    with pytest.raises(ValidationError):
        with_changes(World(), {"regoin": "us-west-2"})


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        (
            "faults:\n  - {service: sagemaker, operation: CreateClsuter, error: X}\n",
            "`faults[0].operation`: boto3 has no operation of sagemaker named 'CreateClsuter'; "
            "did you mean `CreateCluster`?",
            2,
            37,
        ),
        (
            "faults:\n  - {service: SageMaker, operation: '*', error: X}\n",
            "`faults[0].service`: boto3 has no service named 'SageMaker'; "
            "did you mean `sagemaker`?",
            2,
            15,
        ),
        (
            "quotas:\n  sagemaker/L-8762A75E: 8\n",
            "`quotas`: there is no quota sagemaker/L-8762A75E; did you mean "
            "`sagemaker/L-8762A75F`?",
            2,
            25,
        ),
        (
            "usage: {sagemakr/L-8762A75F: 8}\n",
            "`usage`: boto3 has no service named 'sagemakr'; did you mean `sagemaker`?",
            1,
            30,
        ),
        (
            f"subnets:\n  - {SUBNET % (1, '10.0.0.0/20')}\n  - {SUBNET % (2, '10.0.8.0/24')}\n",
            "`subnets[1].cidr`: 10.0.8.0/24 overlaps with 10.0.0.0/20 of subnet-00000001",
            3,
            74,
        ),
        (
            f"subnets:\n  - {SUBNET % (1, '10.0.0.1/20')}\n",
            "`subnets[0].cidr`: '10.0.0.1/20' is not an IPv4 range",
            2,
            74,
        ),
        (
            f"subnets:\n  - {SUBNET % (1, '10.1.0.0/20')}\n",
            "`subnets[0].cidr`: 10.1.0.0/20 is not within 10.0.0.0/16",
            2,
            74,
        ),
        (
            f"subnets:\n  - {SUBNET % (1, '10.0.0.0/29')}\n",
            "`subnets[0].cidr`: a subnet is a /16 to a /28, not a /29",
            2,
            74,
        ),
        (
            "training_plans:\n  - name: p\n    instance_type: p5.48xlarge\n"
            "    instance_count: 8\n    start: +2d\n    end: +1d\n",
            "`training_plans[0].end`: +1d is not after +2d",
            6,
            10,
        ),
        (
            "buckets:\n  - {name: data}\n  - {name: data}\n",
            "`buckets[1].name`: data is buckets[0] already",
            3,
            12,
        ),
        ("extends: generos\n", "extends: 'generos' is not a built-in world", 1, 10),
        ("", "the file is empty", 1, 1),
        ("region: us-east-1\naccount: \x00\n", "not valid YAML: the character #x0000", 2, 10),
    ],
)
def test_a_contradiction_has_its_position(text: str, message: str, line: int, column: int) -> None:
    found, at_line, at_column = problem_of(text)
    assert found.startswith(message)
    assert (at_line, at_column) == (line, column)


def test_quotas_of_other_services_are_accepted() -> None:
    world = parse_world("quotas: {lambda/L-B99A9384: 10, ec2/L-0263D0A3: 5}\n")
    assert set(world.quotas) == {"lambda/L-B99A9384", "ec2/L-0263D0A3"}


def test_every_problem_is_reported_at_once() -> None:
    faults = [f"  - {{service: x{number}, operation: A, error: X}}\n" for number in (1, 2)]
    text = f"faults:\n{''.join(faults)}"
    with pytest.raises(WorldError) as caught:
        parse_world(text, "w.yaml")
    assert [problem.line for problem in caught.value.problems] == [2, 3]


def test_contradictory_changes_are_refused() -> None:
    with pytest.raises(ValueError, match="boto3 has no service named 'sagemakr'"):
        with_changes(
            World(), {"faults": [{"service": "sagemakr", "operation": "*", "error": "X"}]}
        )
