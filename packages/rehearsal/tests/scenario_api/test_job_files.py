"""Job files of the rehearsed cluster, tried with sbatch."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.rendering import listed
from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal.scenario_api.job_files import job_files, refused_by_slurm
from packages.rehearsal.tests.conftest import ROOT
from packages.rehearsal.tests.scenario_api.contexts import answering, context


@pytest.mark.parametrize("spec", ["dev", "examples/trn2-1", "examples/full-hyperpod-slurm"])
def test_every_job_that_the_cluster_can_run_is_rendered(spec: str) -> None:
    cluster = load_cluster(ROOT / f"configs/{spec}.yaml").cluster
    found = job_files(cluster)
    available = {
        f"{template.name}.sbatch"
        for template in all_templates()
        if listed(cluster, load_catalog(), template).available
        and (template.image != "required" or cluster.slurm.containers.pyxis)
    }
    # Refused for their sizes: the model does not fit, or the run would take too long.
    assert available - found.keys() <= {"sft.sbatch", "mlperf-gpt3-175b.sbatch"}
    assert found.keys() <= available
    assert all(text.startswith("#!/bin/bash\n#SBATCH ") for text in found.values())


def test_messages_of_slurm_are_returned(tmp_path: Path) -> None:
    found = context(tmp_path)
    message = "vllm.sbatch: sbatch: error: invalid partition specified: gpu\n"
    commands = answering(found, {"cd /fsx/rehearsal/job-files": message, "": ""})
    assert refused_by_slurm(found, {"vllm.sbatch": "#!/bin/bash\n"}) == [message.strip()]
    assert commands[-1].startswith("rm -rf")
