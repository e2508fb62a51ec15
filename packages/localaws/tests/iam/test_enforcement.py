"""Calls of users, sessions, other accounts and services where the world enforces IAM."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, ClassVar

import boto3
import botocore
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    ADMIN,
    OTHER,
    REGION,
    STRANGER,
    Keys,
    allow,
    deny,
    document,
    role,
    user,
)

BECAUSE = "because no identity-based policy allows the"


def refused(call: Callable[..., Any], **parameters: Any) -> tuple[int, str, str]:
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    answer = caught.value.response
    return (
        answer["ResponseMetadata"]["HTTPStatusCode"],
        answer["Error"]["Code"],
        answer["Error"]["Message"],
    )


@pytest.mark.usefixtures("enforced")
class TestWords:
    @pytest.mark.parametrize(
        ("service", "operation", "parameters", "status", "code", "action", "resource"),
        [
            ("ec2", "create_vpc", {"CidrBlock": "10.0.0.0/16"}, 403, "UnauthorizedOperation",
             "ec2:CreateVpc", f"arn:aws:ec2:{REGION}:{ACCOUNT}:vpc/*"),
            ("s3", "list_buckets", {}, 403, "AccessDenied", "s3:ListAllMyBuckets", '"*"'),
            ("s3", "get_object", {"Bucket": "b-1", "Key": "k/x"}, 403, "AccessDenied",
             "s3:GetObject", '"arn:aws:s3:::b-1/k/x"'),
            ("s3", "list_objects_v2", {"Bucket": "b-1"}, 403, "AccessDenied",
             "s3:ListBucket", '"arn:aws:s3:::b-1"'),
            ("fsx", "create_file_system",
             {"FileSystemType": "LUSTRE", "StorageCapacity": 1200,
              "SubnetIds": ["subnet-12345678"]},
             400, "AccessDeniedException", "fsx:CreateFileSystem",
             f"arn:aws:fsx:{REGION}:{ACCOUNT}:file-system/*"),
            ("eks", "describe_cluster", {"name": "c1"}, 403, "AccessDeniedException",
             "eks:DescribeCluster", f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/c1"),
            ("sagemaker", "list_clusters", {}, 400, "AccessDeniedException",
             "sagemaker:ListClusters", "*"),
            ("logs", "create_log_group", {"logGroupName": "/a/b"}, 400, "AccessDeniedException",
             "logs:CreateLogGroup", f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/a/b:log-stream:"),
            ("iam", "create_role", {"RoleName": "r", "Path": "/p/",
              "AssumeRolePolicyDocument": "{}"},
             403, "AccessDenied", "iam:CreateRole", f"arn:aws:iam::{ACCOUNT}:role/p/r"),
            ("cloudformation", "describe_stacks", {"StackName": "s"}, 403, "AccessDenied",
             "cloudformation:DescribeStacks",
             f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/s/*"),
            ("sns", "create_topic", {"Name": "t"}, 403, "AuthorizationError", "sns:CreateTopic",
             f"arn:aws:sns:{REGION}:{ACCOUNT}:t"),
            ("service-quotas", "list_services", {}, 400, "AccessDeniedException",
             "servicequotas:ListServices", "*"),
            ("amp", "list_workspaces", {}, 403, "AccessDeniedException", "aps:ListWorkspaces",
             "*"),
            ("ssm", "get_parameter", {"Name": "/a/b"}, 400, "AccessDeniedException",
             "ssm:GetParameter", f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/a/b"),
            ("rds", "delete_db_instance", {"DBInstanceIdentifier": "d"}, 403, "AccessDenied",
             "rds:DeleteDBInstance", f"arn:aws:rds:{REGION}:{ACCOUNT}:db:d"),
        ],
    )  # fmt: skip
    def test_of_each_service(
        self, service: str, operation: str, parameters: dict[str, Any], status: int, code: str,
        action: str, resource: str,
    ) -> None:  # fmt: skip
        found = refused(getattr(user("ann")(service), operation), **parameters)
        assert found[:2] == (status, code)
        sentence = (
            f"User: arn:aws:iam::{ACCOUNT}:user/ann is not authorized to perform: {action} on "
            f"resource: {resource} {BECAUSE} {action} action"
        )
        prefix = "You are not authorized to perform this operation. " if service == "ec2" else ""
        assert found[2] == prefix + sentence

    def test_of_an_explicit_deny(self) -> None:
        ann = user("ann", allow("s3:*"), deny("s3:DeleteBucket"))
        ann("s3").create_bucket(Bucket="anns-bucket")
        found = refused(ann("s3").delete_bucket, Bucket="anns-bucket")
        assert found[2].endswith("with an explicit deny in an identity-based policy")


@pytest.mark.usefixtures("enforced")
class TestCredentials:
    @pytest.mark.parametrize(
        ("service", "operation", "status", "code"),
        [
            ("s3", "list_buckets", 403, "InvalidAccessKeyId"),
            ("ec2", "describe_vpcs", 401, "AuthFailure"),
            ("iam", "list_roles", 403, "InvalidClientTokenId"),
            ("sagemaker", "list_clusters", 403, "UnrecognizedClientException"),
        ],
    )
    def test_an_unknown_key(self, service: str, operation: str, status: int, code: str) -> None:
        found = refused(getattr(Keys("AKIANOBODYSKEY000000")(service), operation))
        assert found[:2] == (status, code)

    def test_an_inactive_key(self) -> None:
        ann = user("ann", allow("*"))
        ann("sts").get_caller_identity()
        ADMIN("iam").update_access_key(UserName="ann", AccessKeyId=ann.key, Status="Inactive")
        assert refused(ann("sts").get_caller_identity)[1] == "InvalidClientTokenId"

    def test_a_session_needs_its_token_and_ends(self, enforced: Runtime) -> None:
        session = ADMIN.assume(role("deploy", allow("s3:*")), DurationSeconds=900)
        session("s3").list_buckets()
        assert refused(Keys(session.key, session.secret)("s3").list_buckets)[0] == 403
        enforced.clock.advance(901)
        assert refused(session("s3").list_buckets)[1] == "ExpiredToken"

    def test_everybody_may_ask_who_they_are(self) -> None:
        assert ADMIN("sts").get_caller_identity()["Arn"] == f"arn:aws:iam::{ACCOUNT}:root"
        ann = user("ann", deny("*"))
        assert ann("sts").get_caller_identity()["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/ann"
        session = ADMIN.assume(role("deploy"))
        assert session("sts").get_caller_identity()["Arn"] == (
            f"arn:aws:sts::{ACCOUNT}:assumed-role/deploy/session"
        )

    def test_users_have_the_policies_of_their_groups(self) -> None:
        ann, iam = user("ann"), ADMIN("iam")
        iam.create_group(GroupName="readers")
        iam.attach_group_policy(
            GroupName="readers", PolicyArn="arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
        )
        assert refused(ann("s3").list_buckets)[0] == 403
        iam.add_user_to_group(GroupName="readers", UserName="ann")
        ann("s3").list_buckets()
        assert refused(ann("s3").create_bucket, Bucket="anns-bucket")[0] == 403

    def test_a_new_version_of_a_policy_is_effective_at_once(self) -> None:
        ann, iam = user("ann"), ADMIN("iam")
        arn = iam.create_policy(PolicyName="p", PolicyDocument=document(allow("sns:*")))["Policy"][
            "Arn"
        ]
        iam.attach_user_policy(UserName="ann", PolicyArn=arn)
        ann("sns").list_topics()
        iam.create_policy_version(
            PolicyArn=arn, PolicyDocument=document(allow("sqs:*")), SetAsDefault=True
        )
        assert refused(ann("sns").list_topics)[1] == "AuthorizationError"


@pytest.mark.usefixtures("enforced")
class TestSessions:
    def test_trust_and_identity_must_both_allow(self) -> None:
        arn = role("deploy", trusts={"Service": "ec2.amazonaws.com"})
        assert refused(user("ann", allow("sts:*")).assume, role_arn=arn)[0] == 403
        trusting = role("trusting")
        assert refused(user("bob").assume, role_arn=trusting)[2].endswith(
            f"{BECAUSE} sts:AssumeRole action"
        )
        user("eve", allow("sts:AssumeRole", trusting)).assume(trusting)

    def test_a_role_that_is_not_there(self) -> None:
        arn = f"arn:aws:iam::{ACCOUNT}:role/nothing"
        assert refused(ADMIN.assume, role_arn=arn)[1] == "AccessDenied"

    def test_the_external_id_must_be_right(self) -> None:
        arn = role("vendor", when={"StringEquals": {"sts:ExternalId": "42"}})
        assert refused(ADMIN.assume, role_arn=arn)[0] == 403
        assert refused(ADMIN.assume, role_arn=arn, ExternalId="43")[0] == 403
        ADMIN.assume(arn, ExternalId="42")

    def test_session_tags_are_the_principals(self) -> None:
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

    def test_tags_need_a_separate_permission(self) -> None:
        arn = role("worker", trusts={"AWS": f"arn:aws:iam::{ACCOUNT}:root"})
        ann = user("ann", allow("sts:AssumeRole"))
        ann.assume(arn)
        found = refused(ann.assume, role_arn=arn, Tags=[{"Key": "k", "Value": "v"}])
        assert "sts:TagSession" in found[2]

    def test_a_session_policy_only_narrows(self) -> None:
        arn = role("worker", allow("s3:*"))
        narrow = ADMIN.assume(arn, Policy=document(allow(["s3:ListAllMyBuckets", "sns:*"])))
        narrow("s3").list_buckets()
        assert refused(narrow("s3").create_bucket, Bucket="some-bucket")[2].endswith(
            "because no session policy allows the s3:CreateBucket action"
        )
        assert refused(narrow("sns").list_topics)[2].endswith(f"{BECAUSE} sns:ListTopics action")

    def test_a_boundary_only_narrows(self) -> None:
        iam = ADMIN("iam")
        boundary = iam.create_policy(PolicyName="b", PolicyDocument=document(allow("s3:List*")))
        arn = role("bounded", allow("s3:*"), PermissionsBoundary=boundary["Policy"]["Arn"])
        ADMIN.assume(arn)("s3").list_buckets()
        found = refused(ADMIN.assume(arn)("s3").create_bucket, Bucket="some-bucket")
        assert found[2].endswith(
            "because no permissions boundary allows the s3:CreateBucket action"
        )

    def test_across_accounts_both_must_allow(self) -> None:
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

    def test_no_header_leads_into_another_account(self) -> None:
        ann = user("ann", allow("ec2:*"))("ec2")

        def pretend(request: Any, **_: Any) -> None:
            request.headers["x-moto-account-id"] = OTHER

        ann.meta.events.register("before-sign", pretend, unique_id="pretend")
        try:
            vpc = ann.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]
        finally:
            ann.meta.events.unregister("before-sign", unique_id="pretend")
        assert vpc["OwnerId"] == ACCOUNT

    def test_a_chain_lasts_an_hour(self) -> None:
        second = role("second", MaxSessionDuration=7200)
        first = ADMIN.assume(role("first", allow("sts:*")))
        first.assume(second, DurationSeconds=3600)
        assert refused(first.assume, role_arn=second, DurationSeconds=7200)[1] == "ValidationError"


@pytest.mark.usefixtures("enforced")
class TestResourcesPolicies:
    def test_a_bucket_lets_another_account_in(self) -> None:
        ADMIN("s3").create_bucket(Bucket="shared-bucket")
        ADMIN("s3").put_object(Bucket="shared-bucket", Key="k", Body=b"x")
        bob = user("bob", allow("s3:*"), admin=STRANGER)
        assert refused(bob("s3").get_object, Bucket="shared-bucket", Key="k")[1] == "AccessDenied"
        ADMIN("s3").put_bucket_policy(
            Bucket="shared-bucket",
            Policy=document(
                allow("s3:GetObject", "arn:aws:s3:::shared-bucket/*",
                      Principal={"AWS": f"arn:aws:iam::{OTHER}:user/bob"})
            ),
        )  # fmt: skip
        assert bob("s3").get_object(Bucket="shared-bucket", Key="k")["Body"].read() == b"x"
        assert refused(bob("s3").delete_object, Bucket="shared-bucket", Key="k")[0] == 403
        assert refused(bob("s3").list_objects_v2, Bucket="shared-bucket")[0] == 403

    def test_a_bucket_denies_by_condition(self) -> None:
        s3 = ADMIN("s3")
        s3.create_bucket(Bucket="locked-bucket")
        s3.put_bucket_policy(
            Bucket="locked-bucket",
            Policy=document(
                deny("s3:PutObject", "arn:aws:s3:::locked-bucket/*", Principal="*",
                     Condition={"StringNotEquals":
                                {"s3:x-amz-server-side-encryption": "aws:kms"}}),
                deny("s3:*", ["arn:aws:s3:::locked-bucket", "arn:aws:s3:::locked-bucket/*"],
                     Principal="*", Condition={"Bool": {"aws:SecureTransport": "false"}}),
            ),
        )  # fmt: skip
        found = refused(s3.put_object, Bucket="locked-bucket", Key="k", Body=b"")
        assert found[2].endswith("with an explicit deny in a resource-based policy")
        s3.put_object(Bucket="locked-bucket", Key="k", Body=b"", ServerSideEncryption="aws:kms")
        assert s3.list_objects_v2(Bucket="locked-bucket")["KeyCount"] == 1

    def test_a_prefix(self) -> None:
        ADMIN("s3").create_bucket(Bucket="prefix-bucket")
        ann = user(
            "ann",
            allow("s3:ListBucket", Condition={"StringLike": {"s3:prefix": "ann/*"}}),
        )
        ann("s3").list_objects_v2(Bucket="prefix-bucket", Prefix="ann/x")
        assert refused(ann("s3").list_objects_v2, Bucket="prefix-bucket", Prefix="bob/")[0] == 403
        assert refused(ann("s3").list_objects_v2, Bucket="prefix-bucket")[0] == 403

    def test_a_copy_reads_its_source(self) -> None:
        for name in ("from-bucket", "to-bucket"):
            ADMIN("s3").create_bucket(Bucket=name)
        ADMIN("s3").put_object(Bucket="from-bucket", Key="a b", Body=b"x")
        ann = user("ann", allow("s3:PutObject"))
        copy = {
            "Bucket": "to-bucket",
            "Key": "c",
            "CopySource": {"Bucket": "from-bucket", "Key": "a b"},
        }
        assert "s3:GetObject" in refused(ann("s3").copy_object, **copy)[2]

    def test_every_key_of_a_bulk_delete_counts(self) -> None:
        ADMIN("s3").create_bucket(Bucket="some-bucket")
        ann = user("ann", allow("s3:DeleteObject", "arn:aws:s3:::some-bucket/mine/*"))
        ann("s3").delete_objects(Bucket="some-bucket", Delete={"Objects": [{"Key": "mine/a"}]})
        both = {"Objects": [{"Key": "mine/a"}, {"Key": "yours"}]}
        assert refused(ann("s3").delete_objects, Bucket="some-bucket", Delete=both)[0] == 403

    def test_a_key_that_does_not_mention_the_account_is_its_users_alone(self) -> None:
        kms = ADMIN("kms")
        ann, bob = user("ann"), user("bob", allow("kms:*"))
        key = kms.create_key(
            Policy=document(allow("kms:*", Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:user/ann"}))
        )["KeyMetadata"]["KeyId"]
        ann("kms").encrypt(KeyId=key, Plaintext=b"x")
        assert refused(bob("kms").encrypt, KeyId=key, Plaintext=b"x")[2].endswith(
            "because no resource-based policy allows the kms:Encrypt action"
        )
        default = kms.create_key()["KeyMetadata"]["KeyId"]
        bob("kms").encrypt(KeyId=default, Plaintext=b"x")
        assert refused(ann("kms").encrypt, KeyId=default, Plaintext=b"x")[0] == 400

    def test_what_has_another_name_in_its_arn_than_in_the_request(self) -> None:
        ADMIN("secretsmanager").create_secret(Name="a/b", SecretString="x")
        url = ADMIN("sqs").create_queue(QueueName="q")["QueueUrl"]
        key = ADMIN("kms").create_key()["KeyMetadata"]["Arn"]
        ADMIN("kms").create_alias(AliasName="alias/x", TargetKeyId=key)
        base = f"{REGION}:{ACCOUNT}"
        ann = user(
            "ann",
            allow("secretsmanager:GetSecretValue", f"arn:aws:secretsmanager:{base}:secret:a/b-*"),
            allow("sqs:SendMessage", f"arn:aws:sqs:{base}:q"),
            allow("kms:Encrypt", key),
            allow("logs:CreateLogGroup", f"arn:aws:logs:{base}:log-group:/a/*:*"),
            allow("ec2:DeleteSecurityGroup", f"arn:aws:ec2:{base}:security-group/sg-*"),
        )
        ann("secretsmanager").get_secret_value(SecretId="a/b")
        ann("sqs").send_message(QueueUrl=url, MessageBody="x")
        ann("kms").encrypt(KeyId="alias/x", Plaintext=b"x")
        ann("logs").create_log_group(logGroupName="/a/b")
        assert refused(ann("logs").create_log_group, logGroupName="/b")[0] == 400
        missing = refused(ann("ec2").delete_security_group, GroupId="sg-0123456789abcdef0")
        assert missing[1] == "InvalidGroup.NotFound"

    def test_a_public_bucket_alone_allows_no_access(self) -> None:
        s3 = ADMIN("s3")
        s3.create_bucket(Bucket="public-bucket")
        s3.put_object(Bucket="public-bucket", Key="k", Body=b"x")
        nobody = boto3.client("s3", REGION, config=Config(signature_version=botocore.UNSIGNED))
        assert refused(nobody.get_object, Bucket="public-bucket", Key="k")[0] == 403
        public = allow("s3:GetObject", "arn:aws:s3:::public-bucket/*", Principal="*")
        s3.put_bucket_policy(Bucket="public-bucket", Policy=document(public))
        assert refused(nobody.list_objects_v2, Bucket="public-bucket")[0] == 403


@pytest.mark.usefixtures("enforced")
class TestWhatACallNeedsBesides:
    def test_a_role_that_is_handed_over(self) -> None:
        arn = role("lambda", trusts={"Service": "lambda.amazonaws.com"})
        ask = {"FunctionName": "f", "Runtime": "python3.12", "Role": arn, "Handler": "a.b",
               "Code": {"ZipFile": b"x"}}  # fmt: skip
        ann = user("ann", allow("lambda:*"))
        found = refused(ann("lambda").create_function, **ask)
        assert f"iam:PassRole on resource: {arn} {BECAUSE} iam:PassRole action" in found[2]
        wrong = allow(
            "iam:PassRole",
            Condition={"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}},
        )
        bob = user("bob", allow("lambda:*"), wrong)
        assert "iam:PassRole" in refused(bob("lambda").create_function, **ask)[2]
        right = allow(
            "iam:PassRole", arn,
            Condition={"StringEquals": {"iam:PassedToService": "lambda.amazonaws.com"}},
        )  # fmt: skip
        user("eve", allow("lambda:*"), right)("lambda").create_function(**ask)

    def test_an_instance_profile_hands_over_its_role(self) -> None:
        role("node", trusts={"Service": "ec2.amazonaws.com"})
        ADMIN("iam").create_instance_profile(InstanceProfileName="node")
        ADMIN("iam").add_role_to_instance_profile(InstanceProfileName="node", RoleName="node")
        image = ADMIN("ec2").describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
        found = refused(
            user("ann", allow("ec2:*"))("ec2").run_instances,
            ImageId=image, MinCount=1, MaxCount=1, IamInstanceProfile={"Name": "node"},
        )  # fmt: skip
        assert f"iam:PassRole on resource: arn:aws:iam::{ACCOUNT}:role/node" in found[2]

    def test_tags_at_creation(self) -> None:
        tags = [{"ResourceType": "vpc", "Tags": [{"Key": "team", "Value": "a"}]}]
        ask = {"CidrBlock": "10.0.0.0/16", "TagSpecifications": tags}
        ann = user("ann", allow("ec2:CreateVpc"))
        assert "ec2:CreateTags" in refused(ann("ec2").create_vpc, **ask)[2]
        tagging = allow("ec2:CreateTags", Condition={
            "StringEquals": {"ec2:CreateAction": "CreateVpc", "aws:RequestTag/team": "a"},
            "ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}})  # fmt: skip
        user("bob", allow("ec2:CreateVpc"), tagging)("ec2").create_vpc(**ask)

    def test_keys_of_the_request(self) -> None:
        only = {"ForAllValues:StringLike": {"sagemaker:InstanceTypes": ["ml.m5.*"]}}
        ann = user("ann", allow("sagemaker:CreateCluster", Condition=only))
        group = {"InstanceGroupName": "g", "InstanceType": "ml.p5.48xlarge", "InstanceCount": 1,
                 "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/x", "ThreadsPerCore": 1,
                 "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x", "OnCreate": "a.sh"}
                 }  # fmt: skip
        create = ann("sagemaker").create_cluster
        found = refused(create, ClusterName="c", InstanceGroups=[group])
        assert "sagemaker:CreateCluster" in found[2]
        small = {**group, "InstanceType": "ml.m5.xlarge"}
        found = refused(create, ClusterName="c", InstanceGroups=[small])
        assert "iam:PassRole" in found[2]

    def test_regions(self) -> None:
        here = {"StringEquals": {"aws:RequestedRegion": "eu-west-1"}}
        ann = user("ann", allow("ec2:Describe*", Condition=here))
        ann("ec2", "eu-west-1").describe_vpcs()
        assert refused(ann("ec2").describe_vpcs)[0] == 403


class TestOrganisation:
    levels: ClassVar = [[json.loads(document(allow("*"))), json.loads(document(deny("fsx:*")))]]

    def test_service_control_policies(self) -> None:
        organization = {"service_control_policies": self.levels, "management_account": OTHER}
        with local_aws(iam="enforced", organization=organization):
            found = refused(ADMIN("fsx").describe_file_systems)
            assert found[2].endswith("with an explicit deny in a service control policy")
            STRANGER("fsx").describe_file_systems()
            ADMIN("s3").list_buckets()
            who = {"StringEquals": {"aws:PrincipalOrgID": "o-exampleorgid"}}
            user("ann", allow("s3:List*", Condition=who))("s3").list_buckets()

    def test_every_level_must_allow(self) -> None:
        levels = [[json.loads(document(allow("*")))], [json.loads(document(allow("s3:*")))]]
        with local_aws(iam="enforced", organization={"service_control_policies": levels}):
            ADMIN("s3").list_buckets()
            found = refused(ADMIN("ec2").describe_vpcs)
            assert "because no service control policy allows the ec2:DescribeVpcs" in found[2]

    def test_resource_control_policies(self) -> None:
        outside = json.loads(
            document(deny("s3:*", Principal="*", Condition={
                "StringNotEquals": {"aws:PrincipalAccount": ACCOUNT}}))
        )  # fmt: skip
        organization = {"resource_control_policies": [outside]}
        with local_aws(iam="enforced", organization=organization):
            ADMIN("s3").create_bucket(Bucket="our-bucket")
            ADMIN("s3").list_objects_v2(Bucket="our-bucket")
            found = refused(STRANGER("s3").list_objects_v2, Bucket="our-bucket")
            assert found[1] == "AccessDenied"


def test_off_means_that_no_policy_is_evaluated() -> None:
    with local_aws(account=ACCOUNT):
        user("ann", deny("*"))("s3").list_buckets()
        Keys("AKIANOBODYSKEY000000")("ec2").describe_vpcs()
