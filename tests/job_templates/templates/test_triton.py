"""Triton Inference Server is refused with the reason, on every platform."""

from __future__ import annotations

import pytest

from clusterwright.job_templates.template import RefusedError
from tests.job_templates.made import kubernetes_cluster, rendered
from tests.platforms.kubernetes.specs import EKS


@pytest.mark.parametrize("cluster", [None, kubernetes_cluster(EKS)], ids=["slurm", "kubernetes"])
def test_it_has_no_image(cluster: object) -> None:
    with pytest.raises(
        RefusedError, match=r"triton is not offered: .* no image of it.*: render vllm"
    ):
        rendered("triton", cluster)
