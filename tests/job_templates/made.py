"""Clusters, plans and rendered jobs for the tests of job templates."""

from __future__ import annotations

import datetime as dt
import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.facts import Target, targets
from clusterwright.job_templates.plan import TrainingPlan, training_plan
from clusterwright.job_templates.registry import template_named
from clusterwright.job_templates.rendering import render
from clusterwright.job_templates.template import JobTemplate
from clusterwright.jobs import engine
from clusterwright.jobs.job import Job
from clusterwright.jobs.job_file import read_job
from clusterwright.jobs.manifest_file import read_manifests
from clusterwright.jobs.manifests import Manifests
from clusterwright.jobs.registry import all_rules, rules_for_manifests
from clusterwright.platforms.loading import load_cluster, load_cluster_text
from tests.platforms.kubernetes import validator
from tests.support.rich_specs import changed
from tools.lint.files import ROOT

NOW = dt.datetime(2026, 11, 23, 12, tzinfo=dt.UTC)

SPEC: dict[str, Any] = {
    "environment": "test",
    "account": "111122223333",
    "region": "us-east-1",
    "platform": "hyperpod-slurm",
    "network": {"availability_zone_id": "use1-az6", "egress": "nat"},
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {
            "name": "hopper",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 8,
            "spare_count": 1,
            "scratch": {"mount_path": "/scratch"},
        },
        {"name": "trainium", "role": "compute", "instance_type": "trn1.32xlarge", "count": 4},
        {"name": "cpus", "role": "compute", "instance_type": "c5.4xlarge", "count": 4},
    ],
    "storage": {
        "lustre": [{"mount_path": "/fsx", "capacity_gib": 4800, "throughput_mbps_per_tib": 1000}],
        "checkpoint_path": "/fsx/checkpoints",
    },
    "slurm": {
        "configuration": "scripted",
        "containers": {"pyxis": True},
        "partitions": [
            {"name": "gpu", "groups": ["hopper"], "max_time_minutes": 10080},
            {"name": "trn", "groups": ["trainium"]},
            {"name": "cpu", "groups": ["cpus"]},
        ],
        "qos": [{"name": "urgent", "priority": 100}],
        "accounts": [{"name": "research"}],
    },
}
DIGEST = "sha256:" + "0123456789abcdef" * 4
IMAGE = f"nvcr.io/nvidia/pytorch@{DIGEST}"


_REQUIRED = {
    "model": "/fsx/models/llama",
    "source": "s3://acme-corpus/raw",
    "urls": "/fsx/data/urls.txt",
    "tokenizer": "/fsx/models/llama",
    "dataset": "/fsx/data/chat.jsonl",
    "weights": "/fsx/models/llama",
    "replay": "/fsx/data/replay",
    "checkpoint": "/fsx/checkpoints/run/step-100",
    "submitter": "acme",
    "sizes": "/fsx/data/hpl.dat",
    "block": "1024",
    "checkpoints": "/fsx/checkpoints/run",
    "base": "/fsx/checkpoints/base",
    "data": "/fsx/data/c4",
    "vocabulary": "/fsx/models/bpe",
}
NOT_ON_EVERY_EXAMPLE = (
    "the cluster has no FSx for Lustre file system",
    "the number of processors of",  # unknown to the catalogue
    "of which 10 % stay free",  # the model does not fit on the GPUs
    "a replica of the model has",
    "replicas of the model divide none",
    "it would not converge",  # within the time limit
)


def required_settings(template: JobTemplate) -> dict[str, str]:
    """Values of the settings that a job does not do without."""
    return {one.name: _REQUIRED[one.name] for one in template.settings if one.required}


@functools.lru_cache(maxsize=20)
def _cluster(text: str) -> Any:
    return load_cluster_text(text, Path("test.yaml")).cluster


def made_cluster(**changes: Any) -> Any:
    """The cluster with other sections."""
    return _cluster(json.dumps(SPEC | changes))


def kubernetes_cluster(base: dict[str, Any], **changes: Any) -> Any:
    """The cluster of a spec in `tests/platforms/kubernetes/specs.py` with changes."""
    return _cluster(json.dumps(changed(base, **changes)))


def manifests(text: str) -> list[dict[str, Any]]:
    """The objects of a rendered file, which the API server accepts."""
    found = list(YAML(typ="safe").load_all(text))
    for version in ("1.30", "1.35"):
        assert [each for one in found for each in validator.errors(one, version)] == []
    assert validator.set_errors(found) == []
    return found


def example(name: str) -> Any:
    """The cluster of a spec of the repository."""
    return _example(ROOT / name)


@functools.lru_cache(maxsize=40)
def _example(path: Path) -> Any:
    return load_cluster(path).cluster


def made_target(cluster: Any = None, partition: str = "gpu") -> Target:
    """A target of a partition."""
    found = targets(cluster or made_cluster(), load_catalog())
    return next(target for target in found if target.partition == partition)


def plan_document(**changes: Any) -> dict[str, Any]:
    """The parts of a plan's JSON that jobs read."""
    layout = {
        "tensor": 1,
        "pipeline": 1,
        "context": 1,
        "expert": 1,
        "data": 32,
        "virtual": 1,
        "micro_batch": 2,
        "accumulation": 4,
        "recompute": "selective",
        "sharding": "fsdp",
        "text": "DP32 MBS2 fsdp",
    }
    chosen = {"chosen": True, "nodes": 4, "instance_type": "p5.48xlarge", "layout": layout}
    document: dict[str, Any] = {
        "command": "plan",
        "model": {"name": "llama-3.1-8b"},
        "kind": "from-scratch",
        "seq_len": 4096,
        "candidates": [chosen],
        "launch": {
            "megatron": ["--num-layers=32", "--hidden-size=4096", "--save=/old", "--load=/old"],
            "nemo": {"train": {"micro_batch_size": 2}},
            "torchtitan": {
                "training": {"seq_len": 4096, "steps": 9000},
                "checkpoint": {"enable": True, "folder": "/old", "interval": 250},
            },
            "global_batch": 256,
            "train_steps": 9000,
        },
        "storage": {
            "checkpoint_bytes": 1.1e11,
            "interval_seconds": 900,
            "blocking_seconds": 240.0,
            "kept": 3,
        },
    }
    return document | changes


def made_plan(**changes: Any) -> TrainingPlan:
    """A plan."""
    return training_plan("test.plan.json", plan_document(**changes))


def tensor_parallel_plan(**changes: Any) -> TrainingPlan:
    """A plan whose layout is not fully sharded: TP8 PP2 DP2."""
    document: dict[str, Any] = plan_document()
    chosen = document["candidates"][0]
    chosen["layout"] |= {
        "tensor": 8,
        "pipeline": 2,
        "data": 2,
        "sharding": "distributed-optimizer",
        "text": "TP8 PP2 DP2 MBS2",
    }
    return training_plan("test.plan.json", document | changes)


def rendered(
    job: str, cluster: Any = None, *, plan: TrainingPlan | None = None, **given: str
) -> str:
    """The text of a job's file."""
    found = render(
        cluster or made_cluster(), load_catalog(), template_named(job), given, plan, NOW
    )
    return found.text


def findings(text: str, cluster: Any = None) -> list[str]:
    """What `check-job` says of a job file."""
    job = Job(read_job(text, "job.sbatch"), cluster or made_cluster(), load_catalog(), NOW, None)
    result = engine.run(all_rules(), job)
    assert not result.crashed, result.crashed
    assert not result.unanswered, result.unanswered
    return [f"{finding.rule}: {finding.message}" for finding in result.findings]


def manifest_findings(text: str, cluster: Any) -> list[str]:
    """What `check-job` says of manifests."""
    subject = Manifests(read_manifests(text, "job.yaml"), cluster, load_catalog())
    result = engine.run(rules_for_manifests(), subject)
    assert not result.crashed, result.crashed
    return [f"{finding.rule}: {finding.message}" for finding in result.findings]


def shellcheck(*paths: Path) -> str:
    """What shellcheck finds in files, of any severity; empty if nothing."""
    program = Path(sys.executable).parent / "shellcheck"
    done = subprocess.run(
        [str(program), "--severity=style", "--format=gcc", *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def shell(text: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a bash script, with commands of `folder` first on the search path."""
    return subprocess.run(
        ["bash"],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=folder,
        env={"PATH": f"{folder}:{os.environ['PATH']}", **variables},
    )
