"""Tests of the quotas of IAM and of stacks."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.cloudformation.stacks import Stack, StackResource
from clusterwright.preflight.facts import counts
from clusterwright.preflight.facts.deployment import OwnStacks, Stacks
from clusterwright.preflight.rules.quotas.iam_and_stack_quotas import FEWEST_ROLES, FEWEST_STACKS
from tests.preflight.harness import Harness, quota
from tests.preflight.refusal_cases import SERVES


def own(*resources: tuple[str, str]) -> dict[Any, Any]:
    """The stacks of the environment, with resources by type and id."""
    made = tuple(StackResource(f"R{n}", kind, id_) for n, (kind, id_) in enumerate(resources))
    return {Stacks("test"): OwnStacks((), made)}


def test_roles_of_the_account(rule: Harness) -> None:
    full: dict[Any, Any] = {counts.Roles(): ("admin", "nodes", "test-nodes")}
    limit = quota("iam", "L-FE177D64", 2 + FEWEST_ROLES)
    rule.fails(
        "CW-Q082",
        None,
        {**full, **own(), **limit},
        path="environment",
        message=f'the stacks need at least {FEWEST_ROLES} of "Roles per account"',
        numbers=(FEWEST_ROLES, 3, 2 + FEWEST_ROLES),
    )
    rule.passes("CW-Q082", None, {**full, **own(("AWS::IAM::Role", "test-nodes")), **limit})


def test_identity_providers_of_the_account(rule: Harness) -> None:
    theirs, ours = (f"arn:aws:iam::123456789012:oidc-provider/{name}" for name in ("a", "b"))
    full: dict[Any, Any] = {counts.OidcProviders(): (theirs, ours)}
    limit = quota("iam", "L-858F3967", 2)
    rule.fails(
        "CW-Q083",
        SERVES,
        {**full, **own(), **limit},
        path="hyperpod.inference",
        message='the inference operator needs 1 of "OpenId connect providers per account"',
        numbers=(1, 2, 2),
    )
    rule.passes("CW-Q083", SERVES, {**full, **own(("AWS::IAM::OIDCProvider", ours)), **limit})
    rule.passes("CW-Q083", tested=False)


def test_stacks_of_the_region(rule: Harness) -> None:
    found = tuple(
        Stack(name, "CREATE_COMPLETE", None, protected=False)
        for name in ("test-cluster", "test-network", "prod-cluster")
    )
    full: dict[Any, Any] = {counts.DeployedStacks(): found}
    rule.fails(
        "CW-Q084",
        None,
        {**full, **quota("cloudformation", "L-0485CB21", FEWEST_STACKS)},
        path="environment",
        message=f"the deployment needs at least {FEWEST_STACKS} of",
        numbers=(FEWEST_STACKS, 1, FEWEST_STACKS),
    )
    rule.passes(
        "CW-Q084", None, {**full, **quota("cloudformation", "L-0485CB21", FEWEST_STACKS + 1)}
    )
