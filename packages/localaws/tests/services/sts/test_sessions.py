"""Sessions of roles: trust, tags, policies and chains."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    ADMIN,
    OTHER,
    STRANGER,
    Keys,
    allow,
    document,
    refused,
    role,
    user,
)
from packages.localaws.tests.parts import client, refusal

BECAUSE = "because no identity-based policy allows the"


@pytest.mark.usefixtures("enforced")
class TestSessions:
    def test_assume_role_requires_trust_and_identity_policies(self) -> None:
        arn = role("deploy", trusts={"Service": "ec2.amazonaws.com"})
        assert refused(user("ann", allow("sts:*")).assume, role_arn=arn)[0] == 403
        trusting = role("trusting")
        assert refused(user("bob").assume, role_arn=trusting)[2].endswith(
            f"{BECAUSE} sts:AssumeRole action"
        )
        user("eve", allow("sts:AssumeRole", trusting)).assume(trusting)

    def test_unknown_role_cannot_be_assumed(self) -> None:
        arn = f"arn:aws:iam::{ACCOUNT}:role/nothing"
        assert refused(ADMIN.assume, role_arn=arn)[1] == "AccessDenied"

    def test_external_id_must_match(self) -> None:
        arn = role("vendor", when={"StringEquals": {"sts:ExternalId": "42"}})
        assert refused(ADMIN.assume, role_arn=arn)[0] == 403
        assert refused(ADMIN.assume, role_arn=arn, ExternalId="43")[0] == 403
        ADMIN.assume(arn, ExternalId="42")

    def test_session_tags_are_principal_tags(self) -> None:
        mine = "arn:aws:s3:::${aws:PrincipalTag/team}-data"
        arn = role(
            "worker", allow("s3:*", [mine, f"{mine}/*"]), Tags=[{"Key": "team", "Value": "a"}]
        )
        for name in ("a-data", "b-data"):
            ADMIN("s3").create_bucket(Bucket=name)
        ADMIN.assume(arn)("s3").list_objects_v2(Bucket="a-data")
        assert refused(ADMIN.assume(arn)("s3").list_objects_v2, Bucket="b-data")[0] == 403
        tagged = ADMIN.assume(arn, Tags=[{"Key": "team", "Value": "b"}])
        tagged("s3").list_objects_v2(Bucket="b-data")
        assert refused(tagged("s3").list_objects_v2, Bucket="a-data")[0] == 403

    def test_tagging_requires_a_separate_permission(self) -> None:
        arn = role("worker", trusts={"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
        ann = user("ann", allow("sts:AssumeRole"))
        ann.assume(arn)
        found = refused(ann.assume, role_arn=arn, Tags=[{"Key": "k", "Value": "v"}])
        assert "sts:TagSession" in found[2]

    def test_a_chain_keeps_its_transitive_tags(self) -> None:
        second = role("second")
        tags = [{"Key": "Team", "Value": "a"}]
        first = ADMIN.assume(role("first", allow("sts:*")), Tags=tags, TransitiveTagKeys=["Team"])
        first.assume(second)
        for key in ("Team", "team"):
            found = refused(first.assume, role_arn=second, Tags=[{"Key": key, "Value": "b"}])
            assert found[1] == "InvalidParameterValue"
            assert "conflicts with a transitive tag key" in found[2]

    def test_session_policy_only_restricts(self) -> None:
        arn = role("worker", allow("s3:*"))
        narrow = ADMIN.assume(arn, Policy=document(allow(["s3:ListAllMyBuckets", "sns:*"])))
        narrow("s3").list_buckets()
        assert refused(narrow("s3").create_bucket, Bucket="some-bucket")[2].endswith(
            "because no session policy allows the s3:CreateBucket action"
        )
        assert refused(narrow("sns").list_topics)[2].endswith(f"{BECAUSE} sns:ListTopics action")

    def test_permissions_boundary_only_restricts(self) -> None:
        iam = ADMIN("iam")
        boundary = iam.create_policy(PolicyName="b", PolicyDocument=document(allow("s3:List*")))
        arn = role("bounded", allow("s3:*"), PermissionsBoundary=boundary["Policy"]["Arn"])
        ADMIN.assume(arn)("s3").list_buckets()
        found = refused(ADMIN.assume(arn)("s3").create_bucket, Bucket="some-bucket")
        assert found[2].endswith(
            "because no permissions boundary allows the s3:CreateBucket action"
        )

    def test_access_across_accounts_requires_both_policies(self) -> None:
        arn = role("guest", allow("s3:*"), trusts={"AWS": OTHER})
        bob = user("bob", admin=STRANGER)
        assert "no identity-based policy" in refused(bob.assume, role_arn=arn)[2]
        eve = user("eve", allow("sts:AssumeRole", arn), admin=STRANGER)
        session = eve.assume(arn)
        assert session("sts").get_caller_identity()["Account"] == ACCOUNT
        session("s3").create_bucket(Bucket="guests-bucket")
        assert [b["Name"] for b in ADMIN("s3").list_buckets()["Buckets"]] != []
        closed = role("closed", trusts={"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
        ann = user("ann", allow("sts:AssumeRole"), admin=STRANGER)
        assert refused(ann.assume, role_arn=closed)[0] == 403

    def test_header_cannot_select_another_account(self) -> None:
        ann = user("ann", allow("ec2:*"))("ec2")

        def pretend(request: Any, **_: Any) -> None:
            request.headers["x-moto-account-id"] = OTHER

        ann.meta.events.register("before-sign", pretend, unique_id="pretend")
        try:
            vpc = ann.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]
        finally:
            ann.meta.events.unregister("before-sign", unique_id="pretend")
        assert vpc["OwnerId"] == ACCOUNT

    def test_chained_session_lasts_an_hour(self) -> None:
        second = role("second", MaxSessionDuration=7200)
        first = ADMIN.assume(role("first", allow("sts:*")))
        first.assume(second, DurationSeconds=3600)
        assert refused(first.assume, role_arn=second, DurationSeconds=7200)[1] == "ValidationError"


@pytest.mark.usefixtures("aws")
class TestWithoutEnforcement:
    def test_only_arns_and_existing_roles_of_the_account(self) -> None:
        sts = ADMIN("sts")
        asked = {"RoleSessionName": "probe"}
        code, message = refusal(sts.assume_role, RoleArn="this-is-not-the-arn-of-a-role", **asked)
        assert (code, message) == ("ValidationError", "this-is-not-the-arn-of-a-role is invalid")
        arn = f"arn:aws:iam::{ACCOUNT}:role/trusting"
        code, message = refusal(sts.assume_role, RoleArn=arn, **asked)
        assert code == "AccessDenied"
        assert message.endswith(f"is not authorized to perform: sts:AssumeRole on resource: {arn}")
        for malformed in (
            "arn::iam:::role/something",
            "arn:aws::::role/something",
            "arn:aws:iam::111122223333:",
        ):
            code, message = refusal(sts.assume_role, RoleArn=malformed, **asked)
            assert (code, message) == ("ValidationError", f"{malformed} is invalid")
        role("trusting")
        found = sts.assume_role(RoleArn=arn, **asked)["AssumedRoleUser"]["Arn"]
        assert found == f"arn:aws:sts::{ACCOUNT}:assumed-role/trusting/probe"

    def test_tags_of_a_session(self) -> None:
        sts, arn = ADMIN("sts"), role("tagged")
        asked = {"RoleArn": arn, "RoleSessionName": "probe"}
        twice = [{"Key": "Team", "Value": "a"}, {"Key": "team", "Value": "b"}]
        assert refusal(sts.assume_role, **asked, Tags=twice) == (
            "InvalidParameterValue",
            "Duplicate tag keys found. Please note that Tag keys are case insensitive.",
        )
        assert refusal(sts.assume_role, **asked, Tags=twice[:1], TransitiveTagKeys=["other"]) == (
            "InvalidParameterValue",
            "The specified transitive tag key must be included in the requested tags.",
        )
        sts.assume_role(**asked, Tags=twice[:1], TransitiveTagKeys=["Team"])

    def test_a_chain_keeps_its_transitive_tags(self) -> None:
        second = role("second")
        tags = [{"Key": "Team", "Value": "a"}]
        first = ADMIN.assume(role("first"), Tags=tags, TransitiveTagKeys=["Team"])
        for session in (first, first.assume(second)):
            found = refused(session.assume, role_arn=second, Tags=[{"Key": "team", "Value": "b"}])
            assert found[1] == "InvalidParameterValue"
            assert "conflicts with a transitive tag key" in found[2]
        first.assume(second, Tags=[{"Key": "other", "Value": "b"}])


@pytest.mark.usefixtures("aws")
def test_durations_without_enforced_permissions() -> None:
    iam = client("iam")
    trust = document({"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"})
    made = iam.create_role(
        RoleName="long", AssumeRolePolicyDocument=trust, MaxSessionDuration=7200
    )
    asked = {"RoleArn": made["Role"]["Arn"], "RoleSessionName": "session"}
    assert refusal(client("sts").assume_role, DurationSeconds=7201, **asked) == (
        "ValidationError",
        "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
    )
    found = client("sts").assume_role(DurationSeconds=7200, **asked)["Credentials"]
    chained = Keys(found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"])
    assert refusal(chained("sts").assume_role, DurationSeconds=3601, **asked)[0] == (
        "ValidationError"
    )
    assert chained("sts").assume_role(DurationSeconds=3600, **asked)


@pytest.mark.usefixtures("aws")
def test_a_session_policy_names_no_principal() -> None:
    policy = document({**allow("s3:GetObject"), "Principal": "*"})
    found = refusal(
        client("sts").assume_role,
        RoleArn="arn:aws:iam::999988887777:role/x",
        RoleSessionName="session",
        Policy=policy,
    )
    assert found == (
        "MalformedPolicyDocument",
        "Policy document should not specify a principal.",
    )
