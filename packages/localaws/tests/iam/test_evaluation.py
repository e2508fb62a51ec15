"""AWS's evaluation logic, in tables after the examples of its documentation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright_localaws.iam.context import RequestContext
from clusterwright_localaws.iam.evaluation import Policies, Request, evaluate
from clusterwright_localaws.iam.policy import Policy, read_policy
from clusterwright_localaws.iam.principals import Caller

ACCOUNT, OTHER = "111122223333", "444455556666"
USER = Caller("user", ACCOUNT, f"arn:aws:iam::{ACCOUNT}:user/ann", unique_id="AIDAANN")
ROLE_ARN = f"arn:aws:iam::{ACCOUNT}:role/path/deploy"
SESSION = Caller(
    "role",
    ACCOUNT,
    f"arn:aws:sts::{ACCOUNT}:assumed-role/deploy/s1",
    role_arn=ROLE_ARN,
    unique_id="AROADEPLOY:s1",
)
ROOT = Caller("root", ACCOUNT, f"arn:aws:iam::{ACCOUNT}:root")
SERVICE = Caller("service", service="sagemaker.amazonaws.com")
NOBODY = Caller("anonymous")
SCP = "service control policy"
OBJECT = "arn:aws:s3:::bucket/key"


def policy(*statements: dict[str, Any], version: str = "2012-10-17") -> Policy:
    return read_policy({"Version": version, "Statement": list(statements)})


def allow(action: Any = "s3:GetObject", resource: Any = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


def deny(action: Any = "s3:GetObject", resource: Any = "*", **more: Any) -> dict[str, Any]:
    return {**allow(action, resource, **more), "Effect": "Deny"}


def outcome(
    caller: Caller, policies: Policies, *, owner: str = "", resource: str = OBJECT, **context: str
) -> tuple[str, str]:
    found = evaluate(
        Request(caller, "s3:GetObject", resource, RequestContext(context), owner), policies
    )
    return found.outcome, found.reason


ALLOW, DENY, NONE = policy(allow()), policy(deny()), policy(allow("s3:PutObject"))


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        (Policies(), ("implicitDeny", "identity-based policy")),
        (Policies((ALLOW,)), ("allowed", "")),
        (Policies((ALLOW, DENY)), ("explicitDeny", "identity-based policy")),
        (Policies((ALLOW,), boundary=(ALLOW,)), ("allowed", "")),
        (Policies((ALLOW,), boundary=(NONE,)), ("implicitDeny", "permissions boundary")),
        (Policies((ALLOW,), boundary=()), ("implicitDeny", "permissions boundary")),
        (Policies((ALLOW,), boundary=(DENY,)), ("explicitDeny", "permissions boundary")),
        (Policies((), boundary=(ALLOW,)), ("implicitDeny", "identity-based policy")),
        (Policies((ALLOW,), session=(NONE,)), ("implicitDeny", "session policy")),
        (Policies((ALLOW,), session=(ALLOW,)), ("allowed", "")),
        (Policies((), session=(ALLOW,)), ("implicitDeny", "identity-based policy")),
        (Policies((ALLOW,), organization=((ALLOW,), (NONE,))), ("implicitDeny", SCP)),
        (Policies((ALLOW,), organization=((ALLOW,), (NONE, ALLOW))), ("allowed", "")),
        (Policies((ALLOW,), organization=((ALLOW, DENY),)), ("explicitDeny", SCP)),
        (Policies((), organization=((ALLOW,),)), ("implicitDeny", "identity-based policy")),
    ],
)  # fmt: skip
def test_identity_and_resource_policies_within_an_account(
    policies: Policies, expected: tuple[str, str]
) -> None:
    assert outcome(SESSION, policies) == expected


def granting(principal: Any, **more: Any) -> Policy:
    return policy(allow(Principal=principal, **more))


@pytest.mark.parametrize(
    ("caller", "principal", "bounded", "unbounded"),
    [
        # A user or session that is the principal itself is limited only by explicit denies.
        (USER, {"AWS": USER.arn}, "allowed", "allowed"),
        (SESSION, {"AWS": SESSION.arn}, "allowed", "allowed"),
        # A role is limited by boundary and session policy.
        (SESSION, {"AWS": ROLE_ARN}, "implicitDeny", "allowed"),
        # The account leaves it to identity-based policies.
        (USER, {"AWS": ACCOUNT}, "implicitDeny", "implicitDeny"),
        (USER, {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "implicitDeny", "implicitDeny"),
        (USER, "*", "allowed", "allowed"),
        (USER, {"AWS": "*"}, "allowed", "allowed"),
        (USER, {"AWS": OTHER}, "implicitDeny", "implicitDeny"),
        (USER, {"AWS": f"{USER.arn}x"}, "implicitDeny", "implicitDeny"),
        (USER, {"Service": "sagemaker.amazonaws.com"}, "implicitDeny", "implicitDeny"),
        (SERVICE, {"Service": "sagemaker.amazonaws.com"}, "allowed", "allowed"),
        (SERVICE, {"Service": ["ec2.amazonaws.com"]}, "implicitDeny", "implicitDeny"),
        (SERVICE, {"AWS": "*"}, "implicitDeny", "implicitDeny"),
        (NOBODY, "*", "allowed", "allowed"),
        (NOBODY, {"AWS": ACCOUNT}, "implicitDeny", "implicitDeny"),
    ],
)
def test_resource_policy_alone_allows_in_the_account(
    caller: Caller, principal: Any, bounded: str, unbounded: str
) -> None:
    of_resource = granting(principal)
    assert outcome(caller, Policies(resource=of_resource))[0] == unbounded
    assert outcome(caller, Policies(resource=of_resource, boundary=(NONE,)))[0] == bounded


class TestAcrossAccounts:
    @pytest.mark.parametrize(
        ("identity", "resource", "expected"),
        [
            ((ALLOW,), None, "implicitDeny"),
            ((), granting({"AWS": USER.arn}), "implicitDeny"),
            ((ALLOW,), granting({"AWS": USER.arn}), "allowed"),
            ((ALLOW,), granting({"AWS": ACCOUNT}), "allowed"),
            ((ALLOW,), granting("*"), "allowed"),
            ((ALLOW, DENY), granting("*"), "explicitDeny"),
            ((ALLOW,), policy(allow(Principal="*"), deny(Principal="*")), "explicitDeny"),
        ],
    )
    def test_cross_account_access_requires_both_sides(
        self, identity: tuple[Policy, ...], resource: Policy | None, expected: str
    ) -> None:
        found = outcome(USER, Policies(identity, resource=resource), owner=OTHER)
        assert found[0] == expected

    def test_denial_names_the_missing_policy(self) -> None:
        assert outcome(USER, Policies((ALLOW,)), owner=OTHER)[1] == "resource-based policy"
        everybody = granting("*")
        found = outcome(USER, Policies(resource=everybody), owner=OTHER)
        assert found[1] == "identity-based policy"

    def test_root_needs_only_the_resource_policy(self) -> None:
        assert outcome(ROOT, Policies(), owner=OTHER)[0] == "implicitDeny"
        assert outcome(ROOT, Policies(resource=granting("*")), owner=OTHER)[0] == "allowed"


class TestRoot:
    def test_root_has_all_permissions_in_its_account(self) -> None:
        assert outcome(ROOT, Policies()) == ("allowed", "")

    def test_organization_and_bucket_policies_can_deny_root(self) -> None:
        assert outcome(ROOT, Policies(organization=((ALLOW, DENY),)))[0] == "explicitDeny"
        assert outcome(ROOT, Policies(organization=((NONE,),)))[0] == "implicitDeny"
        locked = policy(deny(Principal="*"))
        assert outcome(ROOT, Policies(resource=locked))[0] == "explicitDeny"


class TestKeysAndTrust:
    """Policies that must allow, in addition to others."""

    def must(self, resource: Policy | None, identity: tuple[Policy, ...] = ()) -> tuple[str, str]:
        return outcome(USER, Policies(identity, resource=resource, resource_must_allow=True))

    def test_absent_policies_do_not_allow(self) -> None:
        assert self.must(None, (ALLOW,)) == ("implicitDeny", "resource-based policy")

    def test_key_policy_with_the_account_enables_iam_policies(self) -> None:
        account = granting({"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
        assert self.must(account) == ("implicitDeny", "identity-based policy")
        assert self.must(account, (ALLOW,))[0] == "allowed"

    def test_user_named_in_the_resource_policy_needs_no_other_policy(self) -> None:
        assert self.must(granting({"AWS": USER.arn}))[0] == "allowed"


class TestNotPrincipal:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_notprincipal.html"""

    def denied(self, caller: Caller, listed: list[str], *, bounded: bool = False) -> bool:
        statement = {"Effect": "Deny", "NotPrincipal": {"AWS": listed}, "Action": "s3:*",
                     "Resource": "*"}  # fmt: skip
        policies = Policies(
            (ALLOW,), boundary=(ALLOW,) if bounded else None, resource=policy(statement)
        )
        return outcome(caller, policies)[0] == "explicitDeny"

    def test_not_principal_denies_all_others(self) -> None:
        root = f"arn:aws:iam::{ACCOUNT}:root"
        assert self.denied(USER, [f"arn:aws:iam::{ACCOUNT}:user/bob", root])
        assert not self.denied(USER, [USER.arn, root])
        assert self.denied(USER, [USER.arn])

    def test_not_principal_must_list_session_role_and_account(self) -> None:
        root = f"arn:aws:iam::{ACCOUNT}:root"
        assert not self.denied(SESSION, [SESSION.arn, ROLE_ARN, root])
        assert self.denied(SESSION, [ROLE_ARN, root])

    def test_permissions_boundary_limits_resource_policies(self) -> None:
        assert self.denied(USER, [USER.arn, f"arn:aws:iam::{ACCOUNT}:root"], bounded=True)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (allow("s3:get*"), True),
        (allow("S3:GETOBJECT"), True),
        (allow("s3:Get?bject"), True),
        (allow("*"), True),
        (allow(["s3:Put*", "s3:GetObject"]), True),
        (allow("ec2:*"), False),
        (allow(resource="arn:aws:s3:::bucket/*"), True),
        (allow(resource="arn:aws:s3:::bucket"), False),
        (allow(resource="arn:aws:s3:::b*"), True),
        (allow(resource="arn:aws:s3:::BUCKET/key"), False),
        (allow(resource="arn:*:s3:::bucket/k?y"), True),
        (allow(resource="arn:aws:s3:::${aws:username}/*"), False),
        (allow(resource="arn:aws:s3:::${aws:bucket}/*"), True),
        ({"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}, True),
        ({"Effect": "Allow", "NotAction": ["s3:*"], "Resource": "*"}, False),
        ({"Effect": "Allow", "Action": "*", "NotResource": "arn:aws:s3:::other/*"}, True),
        ({"Effect": "Allow", "Action": "*", "NotResource": "arn:aws:s3:::bucket/*"}, False),
        (allow(Condition={"StringEquals": {"aws:bucket": "bucket"}}), True),
        (
            allow(Condition={"StringEquals": {"aws:bucket": "bucket"}, "Bool": {"a:b": True}}),
            False,
        ),
    ],
)
def test_statement_elements_are_matched(statement: dict[str, Any], expected: bool) -> None:
    found = outcome(USER, Policies((policy(statement),)), **{"aws:bucket": "bucket"})
    assert (found[0] == "allowed") is expected


def test_variables_are_literal_in_the_old_policy_version() -> None:
    statement = allow(resource="arn:aws:s3:::${aws:bucket}/*")
    old = Policies((policy(statement, version="2008-10-17"),))
    assert outcome(USER, old, **{"aws:bucket": "bucket"})[0] == "implicitDeny"


STATEMENTS = st.lists(
    st.builds(
        lambda effect, action, resource: {
            "Effect": effect,
            "Action": action,
            "Resource": resource,
        },
        st.sampled_from(["Allow", "Deny"]),
        st.sampled_from(["s3:*", "s3:GetObject", "s3:PutObject", "*"]),
        st.sampled_from(["*", OBJECT, "arn:aws:s3:::other/*"]),
    ),
    max_size=4,
)


@given(STATEMENTS, STATEMENTS)
def test_statement_order_does_not_matter(
    identity: list[dict[str, Any]], limits: list[dict[str, Any]]
) -> None:
    one, limit = policy(*identity), policy(*limits)
    alone = outcome(USER, Policies((one,)))
    assert outcome(USER, Policies((policy(*reversed(identity)),))) == alone
    assert outcome(USER, Policies((one, DENY)))[0] == "explicitDeny"
    narrowed = outcome(USER, Policies((one,), boundary=(limit,)))
    assert narrowed[0] != "allowed" or alone[0] == "allowed"
