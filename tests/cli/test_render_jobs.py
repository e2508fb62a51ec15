"""`clusterwright render jobs`: list, files, settings, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from clusterwright.json_output.schemas import schemas
from tests.job_templates.made import plan_document
from tests.platforms.kubernetes.specs import IMAGE
from tests.support.command_line import Answer, clusterwright
from tools.lint.files import ROOT

DEV_EKS = ROOT / "configs/dev-eks.yaml"
P5 = ROOT / "configs/examples/p5-8.yaml"


def run(*words: str, spec: Path = P5) -> Answer:
    return clusterwright("render", "jobs", spec, *words)


def as_json(*words: str, spec: Path = P5) -> dict[str, Any]:
    answer = run("--format", "json", *words, spec=spec)
    data: dict[str, Any] = json.loads(answer.out)
    jsonschema.validate(data, schemas()["render-jobs-output.schema.json"])
    assert (data["command"], data["exit_code"], answer.exit_code) == ("render jobs", 0, 0)
    return data


def refused(*words: str, spec: Path = P5) -> str:
    answer = run(*words, spec=spec)
    assert (answer.exit_code, answer.out) == (3, "")
    return answer.err


def test_one_job_on_stdout(snapshot: SnapshotAssertion) -> None:
    answer = run("--job", "nccl-tests", "--set", "nodes=2")
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot


def test_one_manifest_on_stdout(snapshot: SnapshotAssertion) -> None:
    given = ("--set", "tenant=evaluation", "--set", f"image={IMAGE}")
    answer = run("--job", "nccl-tests", *given, spec=DEV_EKS)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot


def test_the_list_on_kubernetes_says_what_has_to_be_stated() -> None:
    job = as_json("--list", "--job", "nccl-tests", spec=DEV_EKS)["jobs"][0]
    assert (job["available"], job["needs"], job["partition"]) == (True, ["tenant", "image"], None)


@pytest.mark.parametrize("job", ["fio", "hpl", "ior", "nccom-test"])
def test_bring_up_jobs_on_stdout(job: str, snapshot: SnapshotAssertion) -> None:
    image = f"nvcr.io/nvidia/hpc-benchmarks@sha256:{'0' * 64}"
    own = ["--set", f"image={image}", "--set", "block=1024"] if job == "hpl" else []
    spec = ROOT / "configs/examples/p5-127-trn1-24.yaml" if job == "nccom-test" else P5
    answer = run("--job", job, "--set", "nodes=2", *own, spec=spec)
    assert (answer.exit_code, answer.err) == (0, "")
    # The shared part is in the snapshot of nccl-tests.
    assert answer.out.partition("RUN_PATH=")[2] == snapshot


def test_jobs_with_data_on_stdout(snapshot: SnapshotAssertion) -> None:
    stage = run("--job", "stage-data", "--set", "tasks=8")
    clean = run("--job", "checkpoint-cleanup", "--set", "checkpoints=/fsx/checkpoints/run")
    texts = []
    for answer in (stage, clean):
        assert (answer.exit_code, answer.err) == (0, "")
        texts.append(answer.out.partition("set -o errexit")[0])
        texts.append(answer.out.rpartition("command -v python3")[2])
    assert texts == snapshot


def test_the_list_separates_what_the_cluster_can_run() -> None:
    available = run("--list").out.split("not for this cluster")[0]
    assert "nccl-tests  NCCL tests" in available
    trainium = run("--list", spec=ROOT / "configs/examples/trn2-1.yaml").out
    assert (
        "nccl-tests needs NVIDIA GPUs, and the compute nodes are trn2.48xlarge"
        in trainium.split("not for this cluster")[1]
    )


def test_the_list_as_json() -> None:
    jobs = {job["name"]: job for job in as_json("--list")["jobs"]}
    job = jobs["nccl-tests"]
    assert (job["available"], job["instance_type"], job["nodes"]) == (True, "p5.48xlarge", 7)
    assert "nodes" in [setting["name"] for setting in job["settings"]]
    spec = ROOT / "configs/examples/trn2-1.yaml"
    assert not {j["name"]: j for j in as_json("--list", spec=spec)["jobs"]}["fsdp2"]["available"]


def test_the_settings_of_a_job(snapshot: SnapshotAssertion) -> None:
    assert run("--list", "--job", "nccl-tests").out == snapshot


def test_files_are_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "jobs"
    answer = run("--job", "nccl-tests", "--output", str(folder))
    assert answer.out == f"wrote {folder}/nccl-tests.sbatch\n"
    (folder / "nccl-tests.sbatch").write_text("old")
    (folder / "mine.sbatch").write_text("mine")
    data = as_json("--job", "nccl-tests", "--job", "fsdp2", "--output", str(folder))
    for file in data["files"]:
        assert Path(file["path"]).read_text() == file["text"]
    assert (folder / "mine.sbatch").read_text() == "mine"
    assert len(list(folder.iterdir())) == 3


def test_without_a_name_all_jobs_are_rendered() -> None:
    data = as_json()
    assert {"nccl-tests", "fsdp2"} <= {file["job"] for file in data["files"]}
    text = run().out
    assert "# ---- nccl-tests.sbatch\n#!/bin/bash\n" in text


def test_the_plan_beside_the_spec(tmp_path: Path) -> None:
    spec = tmp_path / "p5-8.yaml"
    spec.write_bytes(P5.read_bytes())
    (tmp_path / "p5-8.plan.json").write_text(json.dumps({"estimate": {}, **plan_document()}))
    assert "--save-every=250" in run("--job", "fsdp2", spec=spec).out
    (tmp_path / "p5-8.plan.json").write_text('{"estimate": {}, "command": "plan"}')
    assert "it is not the plan of a training run" in refused("--job", "fsdp2", spec=spec)
    (tmp_path / "p5-8.plan.json").write_text("{")
    assert "cannot be read" in refused("--job", "fsdp2", spec=spec)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--job", "ncl-tests"], "--job: there is no job 'ncl-tests'\n\nhint: did you mean"),
        (["--job", "zzz"], "hint: `clusterwright render jobs FILE --list` lists them"),
        (["--job", "fsdp2", "--set", "node=4"], "hint: did you mean `nodes`?"),
        (["--job", "fsdp2", "--set", "nodes"], "is not KEY=VALUE"),
        (
            ["--job", "fsdp2", "--set", "nodes=four"],
            "expected an integer of at least 1, got 'four'",
        ),
        (["--job", "fsdp2", "--set", "nodes=8"], "jobs in training can have 7 p5.48xlarge"),
        (["--job", "fsdp2", "--set", "partition=gpu"], "no partition 'gpu'"),
        (["--job", "fsdp2", "--set", "group=gpu"], "no compute group 'gpu'"),
        (["--job", "fsdp2", "--set", "qos=urgent"], "the spec has no QOS 'urgent'"),
        (["--job", "fsdp2", "--set", "account=nobody"], "the spec has no account 'nobody'"),
        (["--job", "fsdp2", "--set", "capacity_ends=2020-01-01T00:00Z"], "which is past"),
        (["--job", "fsdp2", "--set", "image=nvcr.io/a/b:latest"], "a tag can be moved"),
        (["--job", "fsdp2", "--plan", "missing.json"], "cannot be read"),
    ],
)
def test_wrong_use(words: list[str], message: str) -> None:
    assert message in refused(*words)


def test_a_job_that_does_not_fit_is_refused_by_name() -> None:
    spec = ROOT / "configs/examples/trn2-1.yaml"
    message = refused("--job", "fsdp2", spec=spec)
    assert "fsdp2 needs NVIDIA GPUs, and the compute nodes are trn2.48xlarge" in message


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = refused("--job", "nccl-tests", "--output", str(tmp_path / "file" / "jobs"))
    assert "cannot be written" in message


MLPERF = (
    "--job=mlperf-llama31-8b",
    "--set=data=/fsx/c4",
    "--set=submitter=acme",
    "--set=tokenizer=/fsx/llama",
    "--set=image=/fsx/images/mlperf.sqsh",
)


def test_own_rates_are_those_of_mlperf_s_forecast(tmp_path: Path) -> None:
    listed = run(*MLPERF).err
    assert "forecast of the money" in listed
    assert "your rate" not in listed
    entry = {
        "instance_type": "p5.48xlarge", "kind": "hyperpod-on-demand", "region": "us-east-1",
        "usd": 40, "unit": "instance-hour", "source": "contract", "date": "2026-11-01",
    }  # fmt: skip
    prices = tmp_path / "rates.yaml"
    prices.write_text(json.dumps({"rates": [entry]}))
    answer = run(*MLPERF, "--prices", str(prices))
    assert answer.exit_code == 0
    assert "at 40 USD an hour of a node" in answer.err
    assert "your rate: contract" in answer.err
    # Beside the spec it is found without the option, as with `cost`.
    spec = tmp_path / "p5-8.yaml"
    spec.write_text(P5.read_text())
    prices.rename(tmp_path / "prices.yaml")
    assert "at 40 USD an hour of a node" in run(*MLPERF, spec=spec).err


def test_rates_that_cannot_be_read(tmp_path: Path) -> None:
    assert "missing.yaml" in refused(*MLPERF, "--prices", str(tmp_path / "missing.yaml"))
    (tmp_path / "bad.yaml").write_text("rates: [{usd: many}]")
    assert "usd" in refused(*MLPERF, "--prices", str(tmp_path / "bad.yaml"))
