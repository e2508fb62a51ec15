"""Repositories of images in the stack of data, and the roles that pull from them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stacks.templates import listed, only, properties, statements
from tests.support.rich_specs import (
    ACCOUNT,
    EKS_MINIMAL,
    FULL,
    HYPERPOD_EKS,
    PARALLELCLUSTER,
    PCS,
    changed,
)
from tests.support.synthesis import Assembly, Build

TWO = {"storage__image_repositories": [{"name": "team/training", "create": True}, {"name": "old"}]}
PULL = {"ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"}
ARNS = [f"arn:aws:ecr:us-east-1:{ACCOUNT}:repository/{name}" for name in ("old", "team/training")]
AWS = {
    "Resource": "arn:aws:ecr:us-east-1:*:repository/*",
    "Condition": {"StringNotEquals": {"aws:ResourceAccount": ACCOUNT}},
}


def pulls(assembly: Assembly) -> list[dict[str, Any]]:
    return [s for _, s in statements(assembly) if set(listed(s["Action"])) == PULL]


def test_created_repository_is_encrypted_immutable_and_scanned(build: Build) -> None:
    assembly = build(changed(FULL, **TWO))
    repository = only(assembly, "AWS::ECR::Repository")
    assert repository["RepositoryName"] == "team/training"
    assert repository["ImageTagMutability"] == "IMMUTABLE"
    assert repository["ImageScanningConfiguration"] == {"ScanOnPush": True}
    encryption = repository["EncryptionConfiguration"]
    assert encryption["EncryptionType"] == "KMS"
    assert encryption["KmsKey"] == properties(assembly, "AWS::FSx::FileSystem")[0]["KmsKeyId"]
    (rule,) = json.loads(repository["LifecyclePolicy"]["LifecyclePolicyText"])["rules"]
    assert rule["selection"]["countNumber"] == 100
    assert rule["action"] == {"type": "expire"}


@pytest.mark.parametrize(("protection", "emptied"), [("retain", False), ("destroy", True)])
def test_images_are_deleted_only_with_destroy(
    protection: str, emptied: bool, build: Build
) -> None:
    repository = only(build(changed(FULL, **TWO, protection=protection)), "AWS::ECR::Repository")
    assert repository["EmptyOnDelete"] is emptied


@pytest.mark.parametrize("spec", [FULL, PARALLELCLUSTER, PCS])
def test_nodes_with_slurm_pull_from_the_repositories_of_the_spec(
    spec: dict[str, Any], build: Build
) -> None:
    with_pyxis = changed(spec, **TWO, slurm__containers={"pyxis": True})
    found = pulls(build(with_pyxis))
    assert found
    assert all(s["Resource"] == ARNS and "Condition" not in s for s in found)
    without = pulls(build(changed(with_pyxis, storage__image_repositories=[])))
    (every,) = {s["Resource"] for s in without}
    assert every == f"arn:aws:ecr:us-east-1:{ACCOUNT}:repository/*"


@pytest.mark.parametrize("spec", [EKS_MINIMAL, HYPERPOD_EKS])
def test_nodes_of_kubernetes_pull_from_them_and_from_registries_of_aws(
    spec: dict[str, Any], build: Build
) -> None:
    own, of_aws = pulls(build(changed(spec, **TWO)))
    assert own["Resource"] == ARNS
    assert {key: of_aws[key] for key in AWS} == AWS
    (anything,) = pulls(build(changed(spec, storage__image_repositories=[])))
    assert anything["Resource"] == AWS["Resource"]
    assert "Condition" not in anything
