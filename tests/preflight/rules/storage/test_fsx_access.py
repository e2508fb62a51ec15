"""What FSx needs of a bucket and of its key."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.storage.fsx_access import (
    bucket_requests,
    dns_suffix,
    key_requests,
    role_arns,
)
from tests.support import specs

REPOSITORY = {
    "s3": "s3://corpus/tokens/",
    "path": "/data",
    "import": ["NEW"],
    "export": ["NEW", "CHANGED", "DELETED"],
}


def context(folder: Path) -> Context:
    lustre = {**specs.LUSTRE, "repositories": [REPOSITORY]}
    spec = specs.load(folder, {"storage.lustre": [lustre]})
    return Context(spec, load_catalog(), dt.date(2026, 11, 20))


def test_requests_in_the_bucket(tmp_path: Path) -> None:
    found = context(tmp_path)
    (lustre,) = found.cluster.storage.lustre
    requests = bucket_requests(found, "corpus", lustre.repositories, "arn:role")
    assert [(r.action, r.resource) for r in requests] == [
        ("s3:DeleteObject", "arn:aws:s3:::corpus/tokens/file"),
        ("s3:GetObject", "arn:aws:s3:::corpus/tokens/file"),
        ("s3:ListBucket", "arn:aws:s3:::corpus"),
        ("s3:PutBucketNotification", "arn:aws:s3:::corpus"),
        ("s3:PutObject", "arn:aws:s3:::corpus/tokens/file"),
    ]
    assert {r.context["aws:PrincipalArn"] for r in requests} == {"arn:role"}


def test_roles_of_file_systems(tmp_path: Path) -> None:
    found = context(tmp_path)
    (new,) = role_arns(found, [])
    assert new.endswith("/AWSServiceRoleForFSxS3Access_fs-00000000000000000")
    assert len(role_arns(found, ["fs-1", "fs-2"])) == 2
    assert dns_suffix(found) == "amazonaws.com"


def test_a_bucket_key_has_the_bucket_as_its_context(tmp_path: Path) -> None:
    found = context(tmp_path)
    name = "kms:EncryptionContext:aws:s3:arn"
    for bucket_key, arn in ((True, "arn:aws:s3:::corpus"), (False, "arn:aws:s3:::corpus/file")):
        requests = key_requests(found, "corpus", "arn:role", bucket_key=bucket_key)
        assert [r.action for r in requests] == [
            "kms:Decrypt",
            "kms:GenerateDataKey",
            "kms:DescribeKey",
        ]
        assert {r.context[name] for r in requests} == {arn}
        assert {r.context["kms:ViaService"] for r in requests} == {"s3.us-east-1.amazonaws.com"}
