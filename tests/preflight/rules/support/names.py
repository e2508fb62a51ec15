"""Facts and specs for the tests of names."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.cloudformation.stacks import Stack, StackResource
from clusterwright.preflight.facts.deployment import (
    OwnStacks,
    Stacks,
)
from tests.support import specs

HERE = "environment"

ALREADY = "already exists, and none of the stacks of `test` created it"


def stacks(*resources: tuple[str, str], status: str = "CREATE_COMPLETE") -> dict[Any, Any]:
    """The stacks of this environment with resources of these types and ids."""
    made = tuple(StackResource(f"R{i}", *one) for i, one in enumerate(resources))
    there = (Stack("test-identity", status, None, False),) if resources else ()
    return {Stacks("test"): OwnStacks(there, made)}


ARN = f"arn:aws:sagemaker:us-east-1:{specs.ACCOUNT}:cluster/abcdefgh1234"

SCRIPTED = {
    "slurm": {"configuration": "scripted"}, "resilience.node_provisioning": "all-at-once",
}  # fmt: skip
