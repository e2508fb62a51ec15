"""The account's key for encrypted volumes."""

from __future__ import annotations

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client


def test_chosen_key_replaces_the_managed_one_until_it_is_reset() -> None:
    with local_aws():
        ec2 = client("ec2")
        assert ec2.get_ebs_default_kms_key_id()["KmsKeyId"] == "alias/aws/ebs"
        arn = client("kms").create_key()["KeyMetadata"]["Arn"]
        ec2.modify_ebs_default_kms_key_id(KmsKeyId=arn)
        assert ec2.get_ebs_default_kms_key_id()["KmsKeyId"] == arn
        assert ec2.reset_ebs_default_kms_key_id()["KmsKeyId"] == "alias/aws/ebs"
        assert ec2.get_ebs_default_kms_key_id()["KmsKeyId"] == "alias/aws/ebs"


def test_an_encrypted_volume_does_not_choose_the_managed_key() -> None:
    with local_aws():
        ec2 = client("ec2")
        ec2.create_volume(AvailabilityZone="us-east-1a", Size=1, Encrypted=True)
        assert ec2.get_ebs_default_kms_key_id()["KmsKeyId"] == "alias/aws/ebs"
