"""Requests to IAM's policy simulator, and findings from its answers."""

from __future__ import annotations

from clusterwright.aws.iam import Simulated, Simulation
from clusterwright.platforms.node_permissions import Permission
from clusterwright.preflight.rule import Fail, Unknown
from clusterwright.preflight.rules.iam.simulation import (
    ACTIONS_PER_SIMULATION,
    permission_results,
    simulations,
)


def permission(actions: tuple[str, ...], resource: str = "*") -> Permission:
    return Permission(actions=actions, resource=resource, reason="r", context=())


def simulated(action: str, decision: str = "allowed", **more: object) -> Simulated:
    values = {"missing": (), "by_organization": None, "by_boundary": None, **more}
    return Simulated(action, "*", decision, **values)  # type: ignore[arg-type]


def results(*answers: Simulated) -> list[Fail | Unknown]:
    return list(permission_results(answers, "the role", hint="h", where="w"))


def test_permissions_are_grouped_by_resource() -> None:
    found = simulations(
        [
            permission(("s3:GetObject", "s3:PutObject")),
            permission(("kms:Decrypt",), "key"),
            permission(("s3:GetObject", "s3:ListBucket")),
        ]
    )
    assert found == (
        Simulation(("s3:GetObject", "s3:PutObject", "s3:ListBucket"), "*", ()),
        Simulation(("kms:Decrypt",), "key", ()),
    )


def test_an_answer_has_one_page() -> None:
    actions = tuple(f"s3:Action{number}" for number in range(ACTIONS_PER_SIMULATION + 1))
    assert [len(found.actions) for found in simulations([permission(actions)])] == [40, 1]


def test_allowed_actions_have_no_result() -> None:
    assert results(simulated("s3:GetObject")) == []


def test_all_refused_actions_are_one_finding() -> None:
    (found,) = results(
        simulated("s3:GetObject"),
        simulated("s3:PutObject", "explicitDeny"),
        simulated("s3:ListBucket", "implicitDeny"),
        simulated("kms:Decrypt", "implicitDeny", by_boundary=False),
        simulated("ec2:Describe", "implicitDeny", by_organization=False),
    )
    assert isinstance(found, Fail)
    assert found.message == (
        "the role is not allowed s3:PutObject, s3:ListBucket, kms:Decrypt, ec2:Describe: "
        "a policy denies it, a service control policy of the organization does not allow it, "
        "no policy allows it, the permissions boundary does not allow it"
    )
    assert (found.requested, found.limit) == (5, 1)


def test_long_lists_are_shortened() -> None:
    (found,) = results(*(simulated(f"s3:A{n}", "implicitDeny") for n in range(8)))
    assert "s3:A5 and 2 more: no policy allows it" in found.message


def test_missing_keys_are_unknown() -> None:
    (found,) = results(
        simulated("s3:GetObject", "implicitDeny", missing=("aws:SourceVpce", "aws:x"))
    )
    assert isinstance(found, Unknown)
    assert "depends on aws:SourceVpce, aws:x, which is not known" in found.message
