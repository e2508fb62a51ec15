"""Images of jobs: those of the spec's repositories, and those that nodes may not pull."""

from __future__ import annotations

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.made import (
    DIGEST,
    SPEC,
    kubernetes_cluster,
    made_cluster,
    rendered,
)
from tests.platforms.kubernetes.specs import EKS

REGISTRY = "111122223333.dkr.ecr.us-east-1.amazonaws.com"
REPOSITORIES = [{"name": "team/pytorch", "create": True}, {"name": "trl"}]
STORAGE = {"storage": {**SPEC["storage"], "image_repositories": REPOSITORIES}}


@pytest.mark.parametrize(
    "image",
    [f"team/pytorch@{DIGEST}", f"{REGISTRY}/team/pytorch@{DIGEST}"],
)
def test_a_repository_of_the_spec_needs_no_registry(image: str) -> None:
    text = rendered("fsdp2", made_cluster(**STORAGE), image=image)
    assert f"IMAGE_URI='docker://{REGISTRY}#team/pytorch:{DIGEST}'" in text


def test_images_that_nodes_may_not_pull_are_refused() -> None:
    other = f"{REGISTRY}/other@{DIGEST}"
    with pytest.raises(SettingError, match="nodes may not pull from other of this account") as it:
        rendered("fsdp2", made_cluster(**STORAGE), image=other)
    assert it.value.hint == "add it to storage.image_repositories: `- {name: other}`"
    assert f"{REGISTRY}#other:{DIGEST}" in rendered("fsdp2", made_cluster(), image=other)
    rendered("fsdp2", made_cluster(**STORAGE), image=f"nvcr.io/nvidia/pytorch@{DIGEST}")


def test_the_repository_of_a_jobs_image_is_proposed() -> None:
    repositories = [{"name": "team/nccl-tests"}, {"name": "python"}]
    cluster = kubernetes_cluster(EKS, storage__image_repositories=repositories)
    with pytest.raises(RefusedError) as it:
        rendered("nccl-tests", cluster, tenant="pretraining")
    assert it.value.hint is not None
    assert it.value.hint.startswith("pin it: --set image=team/nccl-tests@sha256:DIGEST")
