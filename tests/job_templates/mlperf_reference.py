"""Substitutes of MLCommons' references: the same options and lines of MLPerf, no training."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.job_templates.node import command

_NEMO_RUN = """
class Experiment:
    def __init__(self, *_):
        raise AssertionError("an experiment that copies itself over SSH")

def run(task, direct=False):
    assert direct
    task()
"""
_CALLBACKS = """
import json, os, pathlib

class MLLogger:
    def write(self, kind, key, value=None, metadata=None):
        document = {"namespace": "", "time_ms": 1, "event_type": kind, "key": key, "value": value,
                    "metadata": {"file": "x", "lineno": 1, **(metadata or {})}}
        folder = pathlib.Path(os.environ["MLPERF_OUTPUTS"])
        with open(folder / "mlperf_@BENCHMARK@.log", "a") as log:
            log.write(":::MLLOG " + json.dumps(document) + "\\n")

    def event(self, **words): self.write("POINT_IN_TIME", **words)
    def start(self, **words): self.write("INTERVAL_START", **words)
    def end(self, **words): self.write("INTERVAL_END", **words)

    def submission_info(self):
        raise AssertionError("the reference's own submitter")

mllogger = MLLogger()
"""
_PRETRAIN = """
import argparse, math, os
import nemo_run as run
from callbacks import mllogger

parser = argparse.ArgumentParser()
for name in ("user host job_dir account partition time mounts image size initial_ckpt_path "
             "continual_ckpt_path tokenizer_path").split():
    parser.add_argument("--" + name)
for name in ("nodes gpus_per_node gbs mbs eval_every eval_tokens max_steps warmup_steps "
             "start_eval_at num_exps num_pars").split():
    parser.add_argument("--" + name, type=int)
for name in ("target_log_ppl", "max_lr"):
    parser.add_argument("--" + name, type=float)
parser.add_argument("--seeds", type=int, nargs="*")
for name in ("use_ckpt", "resume_from_hf", "run_slurm"):
    parser.add_argument("--" + name, action="store_true")
args = parser.parse_args()
small = args.size == "8b"
warmup = args.warmup_steps if small else math.ceil(8000 * 1152 / args.gbs)
steps = 1200000 if small else math.ceil(1200000 * 1152 / args.gbs)
rate = args.max_lr if small else round((args.gbs / 1152) * 8e-5, 8)
configs = {
    "global_batch_size": args.gbs, "max_sequence_length": 8192, "eval_samples": args.eval_tokens,
    "gradient_accumulation_steps": max(1, args.gbs // (args.nodes * args.gpus_per_node)),
    "opt_name": "adamw", "opt_base_learning_rate": rate, "opt_adamw_beta_1": 0.9,
    "opt_adamw_beta_2": 0.95, "opt_adamw_epsilon": 1e-05, "opt_adamw_weight_decay": 0.1,
    "opt_gradient_clip_norm": 1.0, "opt_end_learning_rate": 8e-7,
    "opt_learning_rate_warmup_steps": warmup, "opt_learning_rate_decay_steps": steps - warmup,
    "opt_learning_rate_decay_schedule": "cosine with linear warmup", "seed": args.seeds[0],
    "init_checkpoint_step": 0,
}

def index():
    open(os.environ["MLPERF_OUTPUTS"] + "/index", "w").close()

def train():
    assert os.path.exists(os.environ["MLPERF_OUTPUTS"] + "/index"), "the index is missing"
    assert os.environ["REFERENCE_TUNING"] == "1"
    mllogger.event(key="cache_clear", value=True)
    mllogger.start(key="init_start")
    mllogger.submission_info()
    for key, value in configs.items():
        mllogger.event(key=key, value=value)
    mllogger.end(key="init_stop")
    mllogger.start(key="run_start")
    every = math.ceil(args.eval_every / args.gbs) * args.gbs
    status = "aborted"
    for seen in range(0, every * 20, every):
        mllogger.start(key="block_start", metadata={"samples_count": seen})
        seen += every
        if args.max_steps and seen > args.max_steps * args.gbs:
            break
        mllogger.end(key="block_stop", metadata={"samples_count": seen})
        mllogger.start(key="eval_start", metadata={"samples_count": seen})
        loss = args.target_log_ppl + float(os.environ["MISSED"]) - seen / every / 100 + 0.03
        mllogger.event(key="eval_accuracy", value=loss, metadata={"samples_count": seen})
        mllogger.end(key="eval_stop", metadata={"samples_count": seen})
        if loss <= args.target_log_ppl:
            status = "success"
            break
    mllogger.end(key="run_stop", metadata={"status": status})
    mllogger.event(key="train_samples", value=seen)

class Executor:
    env_vars = {"REFERENCE_TUNING": "0"}

class Plugin:
    def setup(self, task, executor):
        executor.env_vars["REFERENCE_TUNING"] = "1"

with run.Experiment("title") as exp:
    exp.add(index, executor=Executor(), name="build_data_index")
    exp.add(train, executor=Executor(), name="train", plugins=[Plugin()])
    exp.run(sequential=True, detach=True)
"""
_SRUN = """#!/bin/bash
echo "srun $*" >>"@@/calls"
for word in "$@"; do
  if [[ "$word" == --container-mounts=* ]]; then
    MLPERF_OUTPUTS=$(sed -E 's/.*,([^,:]+):\\/mlperf-outputs.*/\\1/' <<<"$word")
    export MLPERF_OUTPUTS
  fi
done
while [[ "$1" == -* ]]; do shift; done
export SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=1 SLURM_NTASKS_PER_NODE=1
exec "$@"
"""


def llama31(folder: Path, benchmark: str, reference: str) -> None:
    """Write a substitute of a reference, and what the job needs beside it, below `folder`."""
    place = f"fsx/sources/mlcommons-training/{reference}"
    command(folder, f"{place}/nemo_run.py", _NEMO_RUN)
    command(folder, f"{place}/callbacks.py", _CALLBACKS.replace("@BENCHMARK@", benchmark))
    command(folder, f"{place}/pretrain_llama31.py", _PRETRAIN)
    command(folder, "srun", _SRUN)
    command(folder, "python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / "fsx/images").mkdir(parents=True)
    (folder / "fsx/images/nemo.sqsh").write_text("image")
