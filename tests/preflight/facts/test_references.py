"""What a spec refers to: permissions and their resources."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.preflight.facts.fact import Fact, Place
from clusterwright.preflight.facts.references import (
    EcrImage,
    HasObjects,
    ImageRepository,
    KeyPair,
    NamedRole,
    NamedUser,
)

PLACE = Place("aws", "us-east-1", "111122223333")


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (NamedRole("team"), {"iam:GetRole": "arn:aws:iam::111122223333:role/*team"}),
        (NamedUser("ada"), {"iam:GetUser": "arn:aws:iam::111122223333:user/*ada"}),
        (
            EcrImage("444455556666", "us-west-2", "ml/training", "sha256:0"),
            {"ecr:DescribeImages": "arn:aws:ecr:us-west-2:444455556666:repository/ml/training"},
        ),
        (
            ImageRepository("ml/training"),
            {
                "ecr:DescribeRepositories": (
                    "arn:aws:ecr:us-east-1:111122223333:repository/ml/training"
                )
            },
        ),
        (HasObjects("corpus", "tokens/"), {"s3:ListBucket": "arn:aws:s3:::corpus"}),
        (KeyPair("team"), {}),
    ],
)
def test_permissions_are_limited_to_what_is_named(
    fact: Fact[Any], expected: dict[str, str]
) -> None:
    assert fact.resources(PLACE) == expected
