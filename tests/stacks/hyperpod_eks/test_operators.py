"""Which operators a spec has, and how their values are computed."""

from __future__ import annotations

from typing import Any

import pytest

from stacks.hyperpod_eks import operators
from tests.support.rich_specs import ON_EKS
from tests.support.validation import cluster


@pytest.mark.parametrize(
    ("hyperpod", "expected"),
    [
        ({}, False),
        ({"addons": [{"name": "training-operator"}]}, True),
        ({"task_governance": {"fair_share": True}}, True),
        ({"inference": {}}, True),
    ],
)
def test_the_stack_exists_only_with_operators(hyperpod: dict[str, Any], expected: bool) -> None:
    assert operators.is_built(cluster({"hyperpod": hyperpod}, ON_EKS)) is expected


@pytest.mark.parametrize(("value", "text"), [(True, "Enabled"), (False, "Disabled")])
def test_switches(value: bool, text: str) -> None:
    assert operators._switch(value) == text


def test_titles_are_identifiers() -> None:
    assert operators._title("training-operator") == "TrainingOperator"
