"""Resources of storage in the templates."""

from __future__ import annotations

from typing import Any

from tests.stacks.templates import properties
from tests.support.rich_specs import MINIMAL, changed
from tests.support.synthesis import Assembly, Build


def lustre(assembly: Assembly) -> list[dict[str, Any]]:
    return [
        p for p in properties(assembly, "AWS::FSx::FileSystem") if p["FileSystemType"] == "LUSTRE"
    ]


def one(build: Build, **spec: Any) -> dict[str, Any]:
    (found,) = lustre(build(changed(MINIMAL, storage={"lustre": [spec]})))
    return found


def data_buckets(assembly: Assembly) -> list[dict[str, Any]]:
    return [
        p
        for p in properties(assembly, "AWS::S3::Bucket")
        if not p["BucketName"].startswith("sagemaker-")
    ]
