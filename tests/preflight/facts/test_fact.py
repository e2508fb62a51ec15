"""Facts: requests, their answers, and what IAM can limit them to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.preflight.facts.fact import Fact, FactValues, Place, answered, ask

PLACE = Place("aws-cn", "cn-north-1", "111122223333")


def bucket(session: object, name: str) -> str:
    return f"{session}:{name}"


@dataclass(frozen=True)
class Bucket(Fact[str]):
    name: str
    actions: ClassVar = ("s3:ListBucket", "s3:GetBucketLocation")
    resource: ClassVar = "arn:{partition}:s3:::{name}"
    function: ClassVar = bucket


@dataclass(frozen=True)
class Everything(Fact[str]):
    actions: ClassVar = ("s3:ListAllMyBuckets",)
    function: ClassVar = bucket


def refusal(operation: str = "HeadBucket") -> AwsUnavailable:
    return AwsUnavailable(
        service="s3", operation=operation, region="us-east-1", reason="denied", detail="no"
    )


def test_a_fact_is_one_request_with_its_parameters() -> None:
    reading = Bucket("corpus").read()
    (request,) = next(reading)
    assert request == ask(bucket, "corpus")
    assert request.put("session") == "session:corpus"  # type: ignore[arg-type]
    with pytest.raises(StopIteration) as end:
        reading.send(["answer"])
    assert end.value.value == "answer"


def test_a_refusal_ends_the_reading() -> None:
    reading = Bucket("corpus").read()
    next(reading)
    with pytest.raises(AwsUnavailable):
        reading.send([refusal()])
    with pytest.raises(AwsUnavailable):
        answered(refusal())
    assert answered(0) == 0


def test_resources_of_a_place() -> None:
    arn = "arn:aws-cn:s3:::corpus"
    assert Bucket("corpus").resources(PLACE) == {
        "s3:ListBucket": arn,
        "s3:GetBucketLocation": arn,
    }
    assert Everything().resources(PLACE) == {}


def values(*facts: tuple[Fact[Any], Any]) -> FactValues:
    return FactValues(dict(facts))


def test_values_and_refusals() -> None:
    known, unknown = Bucket("a"), Bucket("b")
    found = values((known, "value"), (unknown, refusal()))
    assert found[known] == "value"
    with pytest.raises(AwsUnavailable):
        _ = found[unknown]
    with pytest.raises(KeyError):
        _ = found[Bucket("undeclared")]
    assert found.missing((known,)) is None
    missing = found.missing((known, unknown))
    assert missing is not None
    assert missing.operation == "HeadBucket"


def test_equal_refusals_are_listed_once() -> None:
    facts: Sequence[Fact[Any]] = (Bucket("a"), Bucket("b"), Everything())
    found = values(
        (facts[0], refusal()), (facts[1], refusal()), (facts[2], refusal("ListBuckets"))
    )
    assert [error.operation for error in found.refusals(facts)] == ["HeadBucket", "ListBuckets"]
