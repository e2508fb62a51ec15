"""Tests of services.secretsmanager.fixes.owners."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.boto_clients import client

OWNER, OTHER, REGION = "111122223333", "444455556666", "us-east-1"


def test_another_accounts_secret_by_its_arn() -> None:
    with local_aws():
        ours = client("secretsmanager", account=OWNER, region=REGION)
        theirs = client("secretsmanager", account=OTHER, region=REGION)
        key = client("kms", account=OWNER, region=REGION).create_key()["KeyMetadata"]["Arn"]
        arn = ours.create_secret(Name="n", SecretString="x", KmsKeyId=key)["ARN"]
        assert theirs.describe_secret(SecretId=arn)["ARN"] == arn
        assert theirs.get_secret_value(SecretId=arn)["SecretString"] == "x"
        assert theirs.list_secrets()["SecretList"] == []
        with pytest.raises(ClientError, match="ResourceNotFoundException"):
            theirs.describe_secret(SecretId="n")


def test_the_default_key_is_not_shared() -> None:
    with local_aws():
        ours = client("secretsmanager", account=OWNER, region=REGION)
        theirs = client("secretsmanager", account=OTHER, region=REGION)
        arn = ours.create_secret(Name="n", SecretString="x")["ARN"]
        assert theirs.describe_secret(SecretId=arn)["ARN"] == arn
        with pytest.raises(ClientError, match="default KMS service key"):
            theirs.get_secret_value(SecretId=arn)
        assert ours.get_secret_value(SecretId=arn)["SecretString"] == "x"
