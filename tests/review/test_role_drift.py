"""Permissions of roles against the deployed templates: what is declared and what IAM has."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.review.live_drift import live_drift
from clusterwright.review.results import SpecChange, UncheckedPart
from clusterwright.review.role_drift import MANAGED, ROLE
from tests.review.templates import app, export, resource, stack

TRUST = {
    "Statement": [
        {
            "Effect": "Allow",
            "Action": "sts:AssumeRole",
            "Principal": {"Service": "ec2.amazonaws.com"},
        }
    ]
}
READ = {"Statement": {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}}
WRITE = {"Statement": {"Effect": "Allow", "Action": "s3:PutObject", "Resource": "*"}}
BOUNDARY = "arn:aws:iam::111122223333:policy/boundary"
ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"
CORE = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
OWN = "arn:aws:iam::111122223333:policy/own"
IDS = {
    ("c", "Role"): "nodes",
    ("c", "Key"): "key-1",
    ("p", "Inline"): "generated",
    ("p", "Managed"): OWN,
}
LIVE: dict[str, Any] = {
    "AssumeRolePolicyDocument": TRUST,
    "PermissionsBoundary": BOUNDARY,
    "ManagedPolicyArns": [CORE, OWN],
    "Policies": {"here": READ, "elsewhere": READ},
}


def drift(
    role: dict[str, Any] | None = None, other: dict[str, Any] | None = None, **live: Any
) -> tuple[tuple[SpecChange, ...], set[str], list[UncheckedPart]]:
    """Of a role whose policies are its own and those of resources of another stack."""
    made = resource(
        ROLE,
        AssumeRolePolicyDocument=TRUST,
        PermissionsBoundary=BOUNDARY,
        ManagedPolicyArns=[CORE],
        Policies=[{"PolicyName": "here", "PolicyDocument": READ}],
        **(role or {}),
    )
    name = {"Fn::ImportValue": "role"}
    inline = {"PolicyName": "elsewhere", "PolicyDocument": READ, "Roles": [name], **(other or {})}
    policies = {
        "Inline": resource("AWS::IAM::Policy", **inline),
        "Managed": resource(MANAGED, PolicyDocument=READ, Roles=[name]),
    }
    resources = {"Role": made, "Key": resource("AWS::KMS::Key")}
    deployed = app(
        c=stack(resources, Outputs={"Role": export("role", {"Ref": "Role"})}), p=stack(policies)
    )
    partly: list[UncheckedPart] = []
    there = {
        ROLE: {"nodes": {**LIVE, **live}},
        MANAGED: {OWN: {"PolicyDocument": READ}},
    }
    found, keys = live_drift(deployed, IDS, there, partly)
    return found, {name for _, name in keys}, partly


def test_policies_of_other_stacks_are_declared() -> None:
    assert drift() == ((), {"Role", "Inline", "Managed"}, [])


@pytest.mark.parametrize(
    ("live", "change"),
    [
        (
            {"ManagedPolicyArns": [CORE, OWN, ADMINISTRATOR]},
            (f"ManagedPolicyArns[{ADMINISTRATOR}]", None, "attached"),
        ),
        (
            {"ManagedPolicyArns": [CORE]},
            (f"ManagedPolicyArns[{OWN}]", "attached", "detached"),
        ),
        (
            {"Policies": {"here": READ, "elsewhere": READ, "more": WRITE}},
            ("Policies[more]", None, "added"),
        ),
        ({"Policies": {"here": READ}}, ("Policies[elsewhere]", "there", "deleted")),
        ({"PermissionsBoundary": None}, ("PermissionsBoundary", BOUNDARY, None)),
    ],
)
def test_a_set_that_differs(live: dict[str, Any], change: tuple[str, Any, Any]) -> None:
    path, before, after = change
    assert drift(**live)[0] == (SpecChange(f"c/Role.{path}", before, after),)


def test_documents_that_differ() -> None:
    found, _, _ = drift(Policies={"here": READ, "elsewhere": WRITE})
    assert [(each.path, each.before is None) for each in found] == [
        ("c/Role.Policies[elsewhere].Statement", False),
        ("c/Role.Policies[elsewhere].Statement", True),
    ]
    found, _, _ = drift(AssumeRolePolicyDocument={"Statement": []})
    assert [each.path for each in found] == ["c/Role.AssumeRolePolicyDocument.Statement"]


def test_arns_of_resources_are_known() -> None:
    def policy(key: Any) -> dict[str, Any]:
        return {"Statement": {"Effect": "Allow", "Action": "kms:Decrypt", "Resource": key}}

    declared = {"PolicyDocument": policy("arn:aws:kms:us-east-1:111122223333:key/key-1")}
    live = {"Policies": {"here": READ, "elsewhere": declared["PolicyDocument"]}}
    assert drift(other=declared, **live) == ((), {"Role", "Inline", "Managed"}, [])


def test_what_only_cloudformation_knows_is_listed() -> None:
    """A policy whose roles are unknown may be the one that IAM has more than is declared."""
    unknown = {"Roles": [{"Fn::ImportValue": "of another team"}]}
    found, keys, partly = drift(other=unknown)
    assert (found, keys) == ((), {"Role", "Managed"})
    reason = "whether p/Inline is one of them: only CloudFormation knows it"
    assert partly == [UncheckedPart("policies that were added to c/Role", reason)]
    there = {"Effect": "Allow", "Action": "a:B", "Resource": "arn:aws:a:::b"}
    document = {"Statement": {**there, "Resource": {"Fn::Other": "x"}}}
    live = {"Policies": {"here": READ, "elsewhere": {"Statement": there}}}
    found, _, partly = drift(other={"PolicyDocument": document}, **live)
    assert found == ()
    assert [part.what for part in partly] == ["values of the policy elsewhere of c/Role"]


def test_a_policy_of_no_role() -> None:
    """A managed policy that others attach, such as ParallelCluster's roles."""
    unattached = {"Policy": resource(MANAGED, PolicyDocument=READ)}
    role = {"Role": resource(ROLE, AssumeRolePolicyDocument=TRUST)}
    live = {**LIVE, "PermissionsBoundary": None, "ManagedPolicyArns": [], "Policies": {}}
    partly: list[UncheckedPart] = []
    found, _ = live_drift(app(c=stack(role | unattached)), IDS, {ROLE: {"nodes": live}}, partly)
    assert (found, partly) == ((), [])


def test_the_default_version_of_a_managed_policy() -> None:
    deployed = app(p=stack({"Managed": resource(MANAGED, PolicyDocument=READ)}))
    found, _ = live_drift(deployed, IDS, {MANAGED: {OWN: {"PolicyDocument": WRITE}}})
    assert {each.path for each in found} == {"p/Managed.PolicyDocument.Statement"}


def test_a_role_that_is_gone() -> None:
    deployed = app(c=stack({"Role": resource(ROLE, AssumeRolePolicyDocument=TRUST)}))
    found, keys = live_drift(deployed, IDS, {ROLE: {}})
    assert found == (SpecChange("c/Role", "there", "deleted"),)
    assert keys == {("c", "Role")}
