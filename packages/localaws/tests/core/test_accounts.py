"""The account of a request: access keys, issued keys, the world's account."""

from __future__ import annotations

from typing import Any

import boto3

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import REGION, client


def client_of(key: str, service: str = "sts", region: str = REGION, **more: Any) -> Any:
    return boto3.client(
        service, region, aws_access_key_id=key, aws_secret_access_key="any", **more
    )


def account(**identity: Any) -> str:
    return str(client_of(**identity).get_caller_identity()["Account"])


def test_twelve_digit_key_is_the_account() -> None:
    with local_aws():
        assert account(key="111122223333") == "111122223333"


def test_any_other_key_is_the_account_of_the_world() -> None:
    with local_aws(account="444455556666"):
        for key in ("testing", "AKIAIOSFODNN7EXAMPLE", "11112222333", "1111222233334"):
            assert account(key=key) == "444455556666"


def test_default_account_is_that_of_moto() -> None:
    with local_aws():
        assert account(key="testing") == "123456789012"


def test_key_issued_by_iam_belongs_to_its_account() -> None:
    with local_aws():
        iam = client_of("111122223333", "iam")
        iam.create_user(UserName="ci")
        key = iam.create_access_key(UserName="ci")["AccessKey"]
        identity = client_of(key["AccessKeyId"]).get_caller_identity()
        assert identity["Account"] == "111122223333"
        assert identity["Arn"] == "arn:aws:iam::111122223333:user/ci"


def test_a_role_of_another_account_can_be_assumed() -> None:
    with local_aws():
        session = client_of("111122223333").assume_role(
            RoleArn="arn:aws:iam::777788889999:role/deploy", RoleSessionName="deploy"
        )["Credentials"]
        assert (
            account(key=session["AccessKeyId"], aws_session_token=session["SessionToken"])
            == "777788889999"
        )


def test_accounts_and_regions_are_isolated() -> None:
    with local_aws():
        for key, region in (("111122223333", REGION), ("444455556666", "eu-north-1")):
            ec2 = client_of(key, "ec2", region)
            fsx = client_of(key, "fsx", region)
            vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
            subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/20")["Subnet"]["SubnetId"]
            created = fsx.create_file_system(
                FileSystemType="OPENZFS",
                StorageCapacity=64,
                SubnetIds=[subnet],
                OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64},
            )["FileSystem"]
            assert created["OwnerId"] == key
            assert created["ResourceARN"].startswith(f"arn:aws:fsx:{region}:{key}:")
        for key, region, count in (
            ("111122223333", REGION, 1),
            ("111122223333", "eu-north-1", 0),
            ("444455556666", "eu-north-1", 1),
            ("testing", REGION, 0),
        ):
            found = client_of(key, "fsx", region).describe_file_systems()["FileSystems"]
            assert len(found) == count


def test_presigned_url_belongs_to_its_account() -> None:
    from types import SimpleNamespace

    from clusterwright_localaws.core.credentials import access_key_of

    def asked(query: bytes) -> Any:
        return SimpleNamespace(headers={}, query_string=query)

    assert access_key_of(asked(b"X-Amz-Credential=111122223333%2F20261101%2Fus-east-1")) == (
        "111122223333"
    )
    assert access_key_of(asked(b"AWSAccessKeyId=444455556666&Expires=1")) == "444455556666"
    assert access_key_of(asked(b"")) is None


def test_unsigned_requests_belong_to_the_account_of_the_world() -> None:
    from botocore import UNSIGNED
    from botocore.config import Config

    with local_aws(account="444455556666"):
        client("s3").create_bucket(Bucket="open")
        unsigned = boto3.client("s3", REGION, config=Config(signature_version=UNSIGNED))
        assert unsigned.list_objects_v2(Bucket="open")["KeyCount"] == 0
