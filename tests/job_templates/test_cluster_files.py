"""The job files that a deployment puts on the cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.job_templates.cluster_files import README, cluster_files, without_counts
from clusterwright.job_templates.registry import all_templates
from clusterwright.platforms.loading import load_cluster

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return load_cluster(ROOT / "configs/examples/p5-64.yaml").cluster


def with_count(cluster: Cluster, count: int) -> Cluster:
    groups = tuple(
        group.model_copy(update={"count": count}) if group.role == "compute" else group
        for group in cluster.compute
    )
    return cluster.model_copy(update={"compute": groups})


def test_every_job_is_there_or_listed_with_the_reason(cluster: Cluster) -> None:
    files = cluster_files(cluster, load_catalog(), None)
    assert {"nccl-tests.sbatch", "fsdp2.sbatch", "fio.sbatch"} <= files.keys()
    readme = files[README]
    for template in all_templates():
        there = f"{template.name}.sbatch"
        assert (f"  {there} " in readme) == (there in files)
        assert (f"  {template.name}: " in readme) == (there not in files)
    assert "  vllm: vllm needs" not in readme
    assert "#SBATCH --nodes=62\n" in files["fsdp2.sbatch"]


def test_files_for_the_digest_do_not_depend_on_the_count(cluster: Cluster) -> None:
    catalog = load_catalog()
    fewer = with_count(cluster, 16)
    assert cluster_files(fewer, catalog, None) != cluster_files(cluster, catalog, None)
    assert cluster_files(without_counts(fewer), catalog, None) == cluster_files(
        without_counts(cluster), catalog, None
    )
