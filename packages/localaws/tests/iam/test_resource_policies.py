"""Policies of buckets, keys and topics in calls."""

from __future__ import annotations

import boto3
import botocore
import pytest
from botocore.config import Config

from packages.localaws.tests.iam.conftest import (
    ACCOUNT,
    ADMIN,
    OTHER,
    REGION,
    STRANGER,
    allow,
    deny,
    document,
    refused,
    user,
)


@pytest.mark.usefixtures("enforced")
class TestResourcesPolicies:
    def test_bucket_policy_allows_another_account(self) -> None:
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

    def test_bucket_policy_denies_by_condition(self) -> None:
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

    def test_s3_prefix_condition_is_evaluated(self) -> None:
        ADMIN("s3").create_bucket(Bucket="prefix-bucket")
        ann = user(
            "ann",
            allow("s3:ListBucket", Condition={"StringLike": {"s3:prefix": "ann/*"}}),
        )
        ann("s3").list_objects_v2(Bucket="prefix-bucket", Prefix="ann/x")
        assert refused(ann("s3").list_objects_v2, Bucket="prefix-bucket", Prefix="bob/")[0] == 403
        assert refused(ann("s3").list_objects_v2, Bucket="prefix-bucket")[0] == 403

    def test_copy_requires_read_permission_on_its_source(self) -> None:
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

    def test_every_key_of_delete_objects_is_authorized(self) -> None:
        ADMIN("s3").create_bucket(Bucket="some-bucket")
        ann = user("ann", allow("s3:DeleteObject", "arn:aws:s3:::some-bucket/mine/*"))
        ann("s3").delete_objects(Bucket="some-bucket", Delete={"Objects": [{"Key": "mine/a"}]})
        both = {"Objects": [{"Key": "mine/a"}, {"Key": "yours"}]}
        assert refused(ann("s3").delete_objects, Bucket="some-bucket", Delete=both)[0] == 403

    def test_key_policy_without_the_account_ignores_iam_policies(self) -> None:
        kms = ADMIN("kms")
        ann, bob = user("ann"), user("bob", allow("kms:*"))
        key = kms.create_key(
            Policy=document(allow("kms:*", Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:user/ann"})),
            BypassPolicyLockoutSafetyCheck=True,
        )["KeyMetadata"]["KeyId"]
        ann("kms").encrypt(KeyId=key, Plaintext=b"x")
        assert refused(bob("kms").encrypt, KeyId=key, Plaintext=b"x")[2].endswith(
            "because no resource-based policy allows the kms:Encrypt action"
        )
        default = kms.create_key()["KeyMetadata"]["KeyId"]
        bob("kms").encrypt(KeyId=default, Plaintext=b"x")
        assert refused(ann("kms").encrypt, KeyId=default, Plaintext=b"x")[0] == 400

    def test_resource_arn_differs_from_the_request_parameter(self) -> None:
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

    def test_unsigned_requests_are_refused(self) -> None:
        s3 = ADMIN("s3")
        s3.create_bucket(Bucket="public-bucket")
        s3.put_object(Bucket="public-bucket", Key="k", Body=b"x")
        nobody = boto3.client("s3", REGION, config=Config(signature_version=botocore.UNSIGNED))
        assert refused(nobody.get_object, Bucket="public-bucket", Key="k")[0] == 403
        public = allow("s3:GetObject", "arn:aws:s3:::public-bucket/*", Principal="*")
        policy = document(public)
        blocked = refused(s3.put_bucket_policy, Bucket="public-bucket", Policy=policy)
        assert blocked[:2] == (403, "AccessDenied"), "new buckets block public policies"
        s3.delete_public_access_block(Bucket="public-bucket")
        s3.put_bucket_policy(Bucket="public-bucket", Policy=policy)
        assert refused(nobody.list_objects_v2, Bucket="public-bucket")[0] == 403
