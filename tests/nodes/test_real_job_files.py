"""Real Slurm accepts every batch script of every example: `sbatch --test-only`.

slurmctld alone, with the groups, devices, partitions and limits of the spec; nodes are in state
CLOUD. On ParallelCluster and PCS the services write more of the configuration, in which they name
the same partitions and nodes.
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Iterator

import pytest
from clusterwright_node.contract import ClusterFile

from clusterwright.catalog import load_catalog
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.runs import DEFAULT_STATE
from stacks.lifecycle import node_files
from tests.job_templates.example_files import SPECS, files
from tests.job_templates.made import example
from tests.support.real_slurm import RealSlurm
from tests.support.slurm_configuration import generated, nodes_of, parse, without_accounting

pytestmark = [
    pytest.mark.slow,
    pytest.mark.slurm,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="namespaces need root on Linux"
    ),
]

FOLDER = "/srv/job-files"
SUBMIT = f"""cd {FOLDER}
for file in *; do
  said=$(sbatch --test-only "$file" 2>&1) || echo "$file: $said"
done"""
EXAMPLES = [spec for spec in SPECS if example(spec).uses_slurm]
UNKNOWN_HARDWARE = "p6e-gb200.36xlarge"
"""No source states the cores of this type."""


@pytest.fixture(scope="module", params=images.SUITES)
def slurm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealSlurm]:
    root = images.image(DEFAULT_STATE / "cache", request.param).root
    with RealSlurm(root, tmp_path_factory.mktemp(request.param) / "machine") as machine:
        yield machine


def configured(slurm: RealSlurm, spec: str) -> None:
    """Start slurmctld with the nodes and partitions of a spec."""
    cluster = example(spec)
    parsed = without_accounting(parse(node_files.cluster_json(cluster, load_catalog())))
    counts = {
        group.name: max(group.count, group.max_count or 0)
        for group in cluster.compute
        if group.role == "compute"
    }
    slurm.write(generated(known(parsed), nodes_of(counts), None))
    slurm.start_controller()
    assert slurm.complaints() == []


def known(parsed: ClusterFile) -> ClusterFile:
    """With any cores for the type of unknown hardware, which its jobs do not name."""
    unknown = {g.instance_type for g in parsed.groups if g.role == "compute" and g.cores is None}
    assert unknown <= {UNKNOWN_HARDWARE}
    groups = (
        dataclasses.replace(group, cores=64, threads_per_core=1)
        if group.instance_type in unknown
        else group
        for group in parsed.groups
    )
    return dataclasses.replace(parsed, groups=tuple(groups))


def refused(slurm: RealSlurm, texts: dict[str, str]) -> list[str]:
    """The files that sbatch does not accept, with its message."""
    slurm.check("sh", "-c", f"rm -rf {FOLDER} && mkdir -p {FOLDER}")
    folder = slurm.root_from_outside / FOLDER.lstrip("/")
    for name, text in texts.items():
        (folder / name.replace(" ", "-")).write_text(text, encoding="utf-8")
    return slurm.check("bash", "-c", SUBMIT).splitlines()


@pytest.mark.parametrize("spec", EXAMPLES)
def test_sbatch_accepts_every_job_of_every_example(slurm: RealSlurm, spec: str) -> None:
    texts = {name: text for name, (of, text) in files().items() if of == spec}
    assert texts
    configured(slurm, spec)
    assert refused(slurm, texts) == []


def test_a_job_that_the_cluster_cannot_run_is_refused(slurm: RealSlurm) -> None:
    """The check can fail: too many nodes, a partition and devices that are not there."""
    spec = "configs/examples/p5-8.yaml"
    configured(slurm, spec)
    text = files()["nccl-tests of p5-8"][1]

    def with_option(name: str, value: str) -> str:
        changed, count = re.subn(rf"(?m)^#SBATCH --{name}=.*$", f"#SBATCH --{name}={value}", text)
        assert count == 1, name
        return changed

    wrong = {
        "devices": with_option("gpus-per-node", "16"),
        "nodes": with_option("nodes", "9"),
        "partition": with_option("partition", "other"),
    }
    found = refused(slurm, {**wrong, "right": text})
    for name in wrong:
        assert [line for line in found if line.startswith(f"{name}: ")], name
    assert not [line for line in found if line.startswith("right:")]
