"""The job files among the lifecycle scripts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.loading import load_cluster
from clusterwright.pricing.plan_files import InvalidPlan
from stacks.lifecycle.job_files import job_files, recorded_plan
from tests.stacks.templates import deployed_file
from tests.support.rich_specs import MINIMAL
from tests.support.synthesis import ROOT, Build


def test_the_deployed_file_has_the_rendered_jobs(build: Build) -> None:
    assembly = build(MINIMAL)
    jobs = deployed_file(assembly, "jobs.json")
    assert "README" in jobs
    assert all(text.endswith("\n") for text in jobs.values())


def test_the_digest_has_fixed_numbers_of_nodes() -> None:
    cluster = load_cluster(ROOT / "configs/examples/p5-64.yaml").cluster
    found = job_files(cluster, load_catalog(), None)
    assert "#SBATCH --nodes=62\n" in found.files["fsdp2.sbatch"]
    assert "#SBATCH --nodes=4\n" in found.digested["fsdp2.sbatch"]


def test_the_plan_beside_the_spec_is_used(tmp_path: Path) -> None:
    shutil.copy(ROOT / "configs/base.yaml", tmp_path)
    spec = tmp_path / "large.yaml"
    shutil.copy(ROOT / "configs/dev.yaml", spec)
    loaded = load_cluster(spec)
    assert recorded_plan(loaded) is None
    (tmp_path / "large.plan.json").write_text('{"command": "check"}')
    with pytest.raises(InvalidPlan, match="is not an output of `clusterwright plan`"):
        recorded_plan(loaded)
    (tmp_path / "large.plan.json").write_text('{"command": "plan"}')
    with pytest.raises(InvalidPlan, match="it is not the plan of a training run"):
        recorded_plan(loaded)
