"""Tests of storage stack."""

from __future__ import annotations

from tests.stacks.storage.queries import data_buckets
from tests.stacks.templates import only, properties
from tests.support.rich_specs import FULL
from tests.support.synthesis import Build


def test_every_supported_resource_is_encrypted_with_the_key(build: Build) -> None:
    assembly = build(FULL)
    for found in properties(assembly, "AWS::FSx::FileSystem"):
        assert "Key" in found["KmsKeyId"]["Fn::ImportValue"]
    assert only(assembly, "AWS::RDS::DBInstance")["KmsKeyId"]
    assert only(assembly, "AWS::SecretsManager::Secret")["KmsKeyId"]
    for bucket in data_buckets(assembly):
        (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "aws:kms"
