"""Tests of services.iam.fixes.policy_limits."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import Site, client, refusal


class TestPolicyLimits:
    def test_policy_sizes_are_limited(self, site: Site) -> None:
        del site
        iam = client("iam")
        name, trust = "sizes", _trust(1)
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)
        for call, request, message in (
            (
                iam.create_policy,
                {"PolicyName": "big", "PolicyDocument": _document(6145)},
                "Cannot exceed quota for PolicySize: 6144",
            ),
            (
                iam.put_role_policy,
                {"RoleName": name, "PolicyName": "big", "PolicyDocument": _document(10_241)},
                "Maximum policy size of 10240 bytes exceeded for role sizes",
            ),
            (
                iam.create_role,
                {"RoleName": "trusting", "AssumeRolePolicyDocument": _trust(2049)},
                "Cannot exceed quota for ACLSizePerRole: 2048",
            ),
            (
                iam.update_assume_role_policy,
                {"RoleName": name, "PolicyDocument": _trust(2049)},
                "Cannot exceed quota for ACLSizePerRole: 2048",
            ),
        ):
            assert refusal(call, **request) == ("LimitExceeded", message)
            # White space is not counted, so a shorter policy with much white space fits.
            key = next(key for key in request if key.endswith("Document"))
            make = _trust if "sts:" in request[key] else _document
            call(**{**request, key: make(len(request[key]) - 1) + " " * 50})

    def test_inline_policies_of_a_role_are_limited_in_total(self, site: Site) -> None:
        del site
        iam = client("iam")
        iam.create_role(RoleName="parts", AssumeRolePolicyDocument=_trust(1))
        half = {"RoleName": "parts", "PolicyDocument": _document(5120)}
        iam.put_role_policy(**half, PolicyName="one")
        iam.put_role_policy(**half, PolicyName="two")
        iam.put_role_policy(**half, PolicyName="two")  # in its own place
        assert refusal(
            iam.put_role_policy,
            RoleName="parts",
            PolicyName="three",
            PolicyDocument=_document(1),
        ) == ("LimitExceeded", "Maximum policy size of 10240 bytes exceeded for role parts")

    def test_role_has_at_most_ten_managed_policies(self, site: Site) -> None:
        del site
        iam = client("iam")
        iam.create_role(RoleName="many", AssumeRolePolicyDocument=_trust(1))
        arns = [
            iam.create_policy(PolicyName=f"p{n}", PolicyDocument=_document(1))["Policy"]["Arn"]
            for n in range(11)
        ]
        for arn in arns[:10]:
            iam.attach_role_policy(RoleName="many", PolicyArn=arn)
        iam.attach_role_policy(RoleName="many", PolicyArn=arns[0])  # is there already
        assert refusal(iam.attach_role_policy, RoleName="many", PolicyArn=arns[10]) == (
            "LimitExceeded",
            "Cannot exceed quota for PoliciesPerRole: 10",
        )


def _document(characters: int) -> str:
    """A policy with a number of characters, at least the minimum."""
    return _padded(characters, '"Action":"s3:GetObject","Resource":"*"}]}')


def _trust(characters: int) -> str:
    """The same, of a role's trust."""
    principal = '"Principal":{"Service":"ec2.amazonaws.com"}'
    return _padded(characters, f'"Action":"sts:AssumeRole",{principal}}}]}}')


def _padded(characters: int, end: str) -> str:
    start, middle = '{"Version":"2012-10-17","Statement":[{"Sid":"', '","Effect":"Allow",'
    return start + "x" * (characters - len(start + middle + end)) + middle + end


@pytest.mark.parametrize(("kind", "most"), [("user", 2048), ("group", 5120)])
@pytest.mark.usefixtures("aws")
def test_limits_of_users_and_groups(kind: str, most: int) -> None:
    iam, title = client("iam"), kind.capitalize()
    getattr(iam, f"create_{kind}")(**{f"{title}Name": "one"})
    whose = {f"{title}Name": "one"}
    statement = {"Effect": "Allow", "Action": "s3:" + "a" * most, "Resource": "*"}
    text = json.dumps({"Version": "2012-10-17", "Statement": statement})
    put = getattr(iam, f"put_{kind}_policy")
    assert refusal(put, PolicyName="p", PolicyDocument=text, **whose) == (
        "LimitExceeded",
        f"Maximum policy size of {most} bytes exceeded for {kind} one",
    )
    managed = iam.list_policies(Scope="AWS", MaxItems=11)["Policies"]
    attach = getattr(iam, f"attach_{kind}_policy")
    for policy in managed[:10]:
        attach(PolicyArn=policy["Arn"], **whose)
    assert refusal(attach, PolicyArn=managed[10]["Arn"], **whose) == (
        "LimitExceeded",
        f"Cannot exceed quota for PoliciesPer{title}: 10",
    )
