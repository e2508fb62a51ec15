"""MLPerf GPT-3 175B: the reference's arguments, the batches of the rules, the log."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError
from tests.job_templates import mlperf_judge
from tests.job_templates.framework_names import GPT3
from tests.job_templates.made import SPEC, findings, made_cluster, rendered, shellcheck
from tests.job_templates.node import command, run

GIVEN = {
    "data": "/fsx/data/c4",
    "weights": "/fsx/models/gpt3",
    "vocabulary": "/fsx/models/bpe",
    "image": "/fsx/images/pytorch.sqsh",
}
_CLUSTER = made_cluster(
    compute=[
        group | ({"count": 64, "spare_count": 0} if group["name"] == "hopper" else {})
        for group in SPEC["compute"]
    ]
)
_REFERENCE = """
import json, os, sys
words = dict(word[2:].split("=", 1) for word in sys.argv if word.startswith("--") and "=" in word)
batch, rate = int(words["global-batch-size"]), float(words["lr"])
def line(kind, key, value=None, **metadata):
    print("0: :::MLLOG", json.dumps({"namespace": "", "time_ms": 1, "event_type": kind, "key": key,
        "value": value, "metadata": {"file": "x", "lineno": 1, **metadata}}))
print(" iteration 1/ 500000 | lm loss: 3.0")
line("POINT_IN_TIME", "cache_clear", True)
line("INTERVAL_START", "init_start")
for key, value in {
    "submission_org": "Nvidia", "submission_platform": "GA100-512",
    "submission_status": "reference", "submission_division": "closed",
    "submission_benchmark": "gpt3", "seed": int(words["seed"]),
    "opt_name": "adam", "opt_adam_beta_1": float(words["adam-beta1"]),
    "opt_adam_beta_2": float(words["adam-beta2"]), "opt_adam_epsilon": 1e-8,
    "opt_weight_decay": float(words["weight-decay"]), "opt_base_learning_rate": rate,
    "opt_end_learning_rate": float(words["min-lr"]), "opt_learning_rate_decay_steps": 108600,
    "opt_learning_rate_warmup_steps": 265,
    "opt_learning_rate_decay_schedule": "cosine with linear warmup",
    "opt_gradient_clip_norm": float(words["clip-grad"]),
    "init_checkpoint_step": int(words["ext-lr-steps"]) // batch, "global_batch_size": batch,
    "gradient_accumulation_steps": 1, "max_sequence_length": int(words["seq-length"]),
    "eval_samples": 11590004,
}.items():
    line("POINT_IN_TIME", key, value)
line("INTERVAL_END", "init_stop")
line("INTERVAL_START", "run_start")
line("INTERVAL_START", "block_start", epoch_count=1000, first_epoch_num=1)
line("INTERVAL_END", "block_stop", first_epoch_num=1)
line("INTERVAL_START", "eval_start", epoch_num=1000)
line("POINT_IN_TIME", "eval_accuracy", 2.68, epoch_num=1000)
line("INTERVAL_END", "eval_stop", epoch_num=1000)
line("INTERVAL_END", "run_stop", status="success")
line("POINT_IN_TIME", "train_samples", 1000)
"""
_SRUN = """#!/bin/bash
for word in "$@"; do
  case "$word" in --output=*) exec >>"${word#*=}" 2>&1 ;; esac
done
while [[ "$1" == -* ]]; do shift; done
export SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=1 SLURM_NTASKS_PER_NODE=1
exec "$@"
"""


def job(**given: str) -> str:
    return rendered("mlperf-gpt3-175b", _CLUSTER, **GIVEN | given)


def test_the_log_of_a_run_follows_the_rules(tmp_path: Path) -> None:
    place = "fsx/sources/mlcommons-training/retired_benchmarks/gpt3/megatron-lm/pretrain_gpt.py"
    command(tmp_path, place, _REFERENCE)
    command(tmp_path, "srun", _SRUN)
    command(tmp_path, "python", f'#!/bin/sh\nshift\nexec {sys.executable} "$@"\n')
    (tmp_path / "fsx/images").mkdir(parents=True)
    (tmp_path / "fsx/images/pytorch.sqsh").write_text("image")
    text = job(clear_caches="no", checker=str(mlperf_judge.python().parent.parent))
    done = run(text, tmp_path, SLURM_ARRAY_JOB_ID="70", SLURM_ARRAY_TASK_ID="1")
    assert done.returncode == 0, done.stdout + done.stderr
    log = tmp_path / "fsx/runs/mlperf-gpt3-175b/70/1-0/result_0.txt"
    lines = [json.loads(line.removeprefix(":::MLLOG ")) for line in log.read_text().splitlines()]
    assert lines[0]["key"] == "cache_clear"
    assert mlperf_judge.judged(log, "4.1.0")[0]
    # Round 5.0 has no such benchmark.
    assert not mlperf_judge.judged(log, "5.0.0")[0]


def test_the_batch_decides_the_learning_rate() -> None:
    assert "--lr=2e-05 --min-lr=2e-06" in job()
    assert "--eval-interval=16" in job()
    text = job(batch="8192")
    assert "--lr=3e-05 --min-lr=3e-06" in text
    assert "--eval-interval=3" in text
    assert "--ext-iterations=750 --ext-lr-steps=6144000" in text
    with pytest.raises(SettingError, match="6144 is not one of gpt3's rules"):
        job(batch="6144")


def test_a_replica_has_64_accelerators() -> None:
    with pytest.raises(RefusedError, match="a replica of the model has 64 accelerators") as error:
        job(nodes="63")
    assert error.value.hint == "--set nodes=56"
    with pytest.raises(RefusedError, match="does not divide by 7 replicas"):
        job(nodes="56", batch="1536")


def test_every_argument_is_one_of_the_reference() -> None:
    text = job()
    step = text.partition('pretrain_gpt.py" \\\n')[2].partition(" &\n")[0]
    assert set(re.findall(r"(?:^| )(--[A-Za-z0-9-]+)", step)) <= GPT3
    assert findings(text, _CLUSTER) == []


def test_shellcheck_finds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "job.sbatch"
    path.write_text(job(), encoding="utf-8")
    assert shellcheck(path) == ""
