"""Text Generation Inference is refused with the reason, on every platform."""

from __future__ import annotations

import pytest

from clusterwright.job_templates.template import RefusedError
from tests.job_templates.made import kubernetes_cluster, rendered
from tests.platforms.kubernetes.specs import EKS


@pytest.mark.parametrize("cluster", [None, kubernetes_cluster(EKS)], ids=["slurm", "kubernetes"])
def test_it_is_archived(cluster: object) -> None:
    with pytest.raises(RefusedError, match=r"archived it on 2026-03-21.*: render vllm"):
        rendered("tgi", cluster)
