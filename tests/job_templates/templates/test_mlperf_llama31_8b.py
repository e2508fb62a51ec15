"""MLPerf Llama 3.1 8B: the rules, the forecast, and a log that the compliance checker judges."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clusterwright.job_templates.mlperf_rules import LLAMA31_8B
from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates import mlperf_judge
from tests.job_templates.framework_names import LLAMA31_8B as NAMES
from tests.job_templates.made import (
    SPEC,
    findings,
    kubernetes_cluster,
    made_cluster,
    rendered,
    shellcheck,
)
from tests.job_templates.mlperf_reference import llama31
from tests.job_templates.node import calls, run
from tests.platforms.kubernetes.specs import EKS

GIVEN = {
    "data": "/fsx/data/c4",
    "tokenizer": "/fsx/models/llama",
    "submitter": "acme",
    "image": "/fsx/images/nemo.sqsh",
}


def job(cluster: Any = None, **given: str) -> str:
    """The batch script."""
    return rendered("mlperf-llama31-8b", cluster, **GIVEN | given)


def ran(folder: Path, missed: str = "0", **given: str) -> subprocess.CompletedProcess[str]:
    """The first run of the array, with a substitute of the reference."""
    llama31(folder, "llama31_8b", "small_llm_pretraining/nemo")
    environment = mlperf_judge.python().parent.parent
    text = job(nodes="4", clear_caches="no", checker=str(environment), **given)
    variables = {"SLURM_ARRAY_JOB_ID": "70", "SLURM_ARRAY_TASK_ID": "1", "MISSED": missed}
    return run(text, folder, nodes=4, **variables)


def result(folder: Path) -> Path:
    return folder / "fsx/runs/mlperf-llama31-8b/70/1-0/result_0.txt"


def test_a_run_converges_and_its_log_follows_the_rules(tmp_path: Path) -> None:
    done = ran(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "converged: " in done.stdout
    text = result(tmp_path).read_text()
    assert '"key": "submission_org", "value": "acme"' in text
    assert '"key": "submission_platform", "value": "4xp5.48xlarge"' in text
    # The index first, by one process; then the training.
    assert ["--stage=index" in call for call in calls(tmp_path)] == [True, False]
    # The judge is not asleep: another ruleset's target, and a key less.
    assert mlperf_judge.judged(result(tmp_path), "6.0.0")[0]
    broken = tmp_path / "broken.txt"
    broken.write_text(re.sub(r".*max_steps.*\n", "", text))
    accepted, why = mlperf_judge.judged(broken, "6.0.0")
    assert (accepted, "max_steps" in why) == (False, True)


def test_a_run_that_does_not_converge_has_its_own_exit_code(tmp_path: Path) -> None:
    done = ran(tmp_path, missed="1")
    assert (done.returncode, "did not reach the target" in done.stdout) == (93, True)


def test_a_log_that_breaks_the_rules_is_no_result(tmp_path: Path) -> None:
    llama31(tmp_path, "llama31_8b", "small_llm_pretraining/nemo")
    text = job(nodes="4", clear_caches="no", checker=str(mlperf_judge.python().parent.parent))
    text = text.replace("--eval_tokens=1024", "--eval_tokens=512")
    variables = {"SLURM_ARRAY_JOB_ID": "70", "SLURM_ARRAY_TASK_ID": "1", "MISSED": "0"}
    done = run(text, tmp_path, nodes=4, **variables)
    assert (done.returncode, "does not follow the rules" in done.stdout) == (1, True)


def test_without_the_checker_no_run_begins(tmp_path: Path) -> None:
    llama31(tmp_path, "llama31_8b", "small_llm_pretraining/nemo")
    variables = {"SLURM_ARRAY_JOB_ID": "70", "SLURM_ARRAY_TASK_ID": "1"}
    done = run(job(), tmp_path, **variables)
    assert done.returncode == 92
    assert "install mlperf-logging==4.1.68 there" in done.stdout
    assert calls(tmp_path) == []


def test_caches_that_cannot_be_cleared_end_the_job(tmp_path: Path) -> None:
    llama31(tmp_path, "llama31_8b", "small_llm_pretraining/nemo")
    (tmp_path / "sudo").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "sudo").chmod(0o755)
    text = job(checker=str(mlperf_judge.python().parent.parent))
    done = run(text, tmp_path, SLURM_ARRAY_JOB_ID="70", SLURM_ARRAY_TASK_ID="1")
    assert (done.returncode, "page caches cannot be cleared" in done.stdout) == (92, True)


def test_the_file_states_rules_and_forecast() -> None:
    heading = " ".join(job(nodes="4").partition("set -o")[0].replace("\n# ", " ").split())
    assert "ruleset 6.0.0 of mlperf-logging==4.1.68: batch 32, learning rate 0.0008" in heading
    assert "an evaluation every 384 steps, target 3.3; a submission has 10 runs" in heading
    assert "178,859 sequences to converge (172,032 to 196,608 in the reference's runs)" in heading
    hours = re.search(r"([0-9.]+) hours \(([0-9.]+) to ([0-9.]+)\) on 4 p5.48xlarge", heading)
    assert hours is not None
    middle, low, high = map(float, hours.groups())
    assert low < middle < high
    money = re.search(
        r"money: ([0-9,]+) USD a run .*, ([0-9,]+) for 10 runs, at ([0-9.]+)", heading
    )
    assert money is not None
    usd, every = (float(text.replace(",", "")) for text in money.groups()[:2])
    assert usd == pytest.approx(middle * 4 * float(money[3]), rel=0.05)
    assert every == pytest.approx(10 * usd, rel=0.01)


def test_a_rate_that_is_unknown_is_said() -> None:
    plan = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan"
    capacity = {"capacity": {"kind": "training-plan", "arn": plan}}
    groups = [group | (capacity if group["name"] == "hopper" else {}) for group in SPEC["compute"]]
    text = job(made_cluster(compute=groups), nodes="4").replace("\n# ", " ")
    assert "forecast of the money unknown: " in text


def test_the_batch_is_a_multiple_of_the_accelerators() -> None:
    # 7 nodes have 56, which divide none of the batches of the reference.
    with pytest.raises(RefusedError, match="56 replicas of the model divide none of the batches"):
        job(nodes="7")
    with pytest.raises(RefusedError, match="batch of 24 does not divide by 16") as error:
        job(nodes="2", batch="24")
    assert error.value.hint == "--set batch=16, or another number of nodes"
    assert "--gbs=64 --mbs=1\n" in job(nodes="4", batch="64")


def test_free_values_have_to_be_stated() -> None:
    with pytest.raises(SettingError, match="learning rate of a global batch of 40 is not stated"):
        job(batch="40")
    with pytest.raises(SettingError, match="warm-up of a global batch of 40 is not stated"):
        job(batch="40", learning_rate="1e-3")
    text = job(batch="40", learning_rate="1e-3", warmup="100")
    assert "--max_lr=0.001\n  --warmup_steps=100\n" in text
    text = job(batch="8", learning_rate="1e-3", warmup="100").replace("\n# ", " ")
    assert "no run of the reference has batch 8" in text


def test_a_time_limit_that_is_too_short() -> None:
    with pytest.raises(RefusedError, match="it would not converge") as error:
        job(time="60")
    assert error.value.hint is not None
    assert error.value.hint.startswith("--set time=")


def test_every_argument_is_one_of_the_reference() -> None:
    text = job(nodes="4")
    listed = text.partition("ARGUMENTS=(\n")[2].partition("\n)\n")[0]
    names = set(re.findall(r"(--[a-z_]+)", listed))
    assert names <= NAMES
    assert {"--max_lr", "--warmup_steps", "--eval_tokens"} <= names
    assert f"--eval_every={LLAMA31_8B.evaluate_every}" in listed
    assert findings(text) == []


def test_kubernetes_is_refused_with_the_reason() -> None:
    with pytest.raises(RefusedError, match="no Kubernetes form: the reference and the array"):
        rendered("mlperf-llama31-8b", kubernetes_cluster(EKS))


def test_shellcheck_finds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "job.sbatch"
    path.write_text(job(nodes="4"), encoding="utf-8")
    assert shellcheck(path) == ""
