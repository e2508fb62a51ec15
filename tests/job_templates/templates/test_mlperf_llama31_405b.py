"""MLPerf Llama 3.1 405B: batches and learning rates of the rules, and a log that is judged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates import mlperf_judge
from tests.job_templates.framework_names import LLAMA31_405B as NAMES
from tests.job_templates.made import SPEC, findings, made_cluster, rendered, shellcheck
from tests.job_templates.mlperf_reference import llama31
from tests.job_templates.node import run

GIVEN = {
    "data": "/fsx/data/c4",
    "tokenizer": "/fsx/models/mixtral",
    "weights": "/fsx/models/llama-405b",
    "submitter": "acme",
    "image": "/fsx/images/nemo.sqsh",
}


def cluster(nodes: int = 64) -> Any:
    """A cluster with so many p5.48xlarge."""
    groups = [
        group | ({"count": nodes, "spare_count": 0} if group["name"] == "hopper" else {})
        for group in SPEC["compute"]
    ]
    return made_cluster(compute=groups)


def job(nodes: int = 64, **given: str) -> str:
    return rendered("mlperf-llama31-405b", cluster(nodes), **GIVEN | given)


def test_a_run_with_each_listed_batch_follows_the_rules(tmp_path: Path) -> None:
    for batch in ("1152", "2304", "4608"):
        folder = tmp_path / batch
        folder.mkdir()
        llama31(folder, "llama31_405b", "large_language_model_pretraining/nemo")
        environment = str(mlperf_judge.python().parent.parent)
        text = job(batch=batch, clear_caches="no", checker=environment)
        variables = {"SLURM_ARRAY_JOB_ID": "70", "SLURM_ARRAY_TASK_ID": "2", "MISSED": "0"}
        done = run(text, folder, nodes=64, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        log = folder / "fsx/runs/mlperf-llama31-405b/70/2-0/result_1.txt"
        assert mlperf_judge.judged(log, "6.0.0")[0]
        # The default ruleset of the package does not know the benchmark any more.
        assert not mlperf_judge.judged(log, "6.1.0")[0]


def test_the_runs_end_after_twice_the_sequences_of_the_reference() -> None:
    assert "--max_steps=544\n" in job()  # 2 x 313,344 / 1,152
    assert "--use_ckpt --resume_from_hf\n" in job()
    assert "#SBATCH --array=1-3%1\n" in job()


def test_batches_of_the_rules() -> None:
    with pytest.raises(SettingError, match="rules for 1152 to 9216"):
        job(batch="1024")
    with pytest.raises(SettingError, match=r"that of batch 2304 is 0\.00016"):
        job(batch="2304", learning_rate="8e-5")
    assert "no run of the reference has batch 9216" in job(batch="9216").replace("\n# ", " ")


def test_the_batch_is_compared_with_the_replicas_that_are_stated() -> None:
    assert "the layout is that of the recipe in the image, which was not read" in job().replace(
        "\n# ", " "
    )
    with pytest.raises(RefusedError, match="a replica of the model has 144 accelerators") as error:
        job(replica="144")
    assert error.value.hint == "--set nodes=54"
    assert "was not read" not in job(nodes=54, replica="144")


def test_every_argument_is_one_of_the_reference() -> None:
    text = job()
    listed = text.partition("ARGUMENTS=(\n")[2].partition("\n)\n")[0]
    assert set(re.findall(r"(--[a-z_]+)", listed)) <= NAMES
    assert findings(text, cluster()) == []


def test_a_small_cluster_is_told_how_long_it_would_take() -> None:
    with pytest.raises(RefusedError, match=r"a run needs about [0-9.]+ hours"):
        job(nodes=16)
    text = rendered("mlperf-llama31-405b", cluster(2), **GIVEN).replace("\n# ", " ")
    assert "forecast unknown: " in text


def test_shellcheck_finds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "job.sbatch"
    path.write_text(job(), encoding="utf-8")
    assert shellcheck(path) == ""
