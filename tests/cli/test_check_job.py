"""`clusterwright check-job`: the whole output, exit codes, wrong use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from clusterwright.jobs.registry import rules_for_manifests
from clusterwright.json_output.schemas import schemas
from tests.support.command_line import Answer, clusterwright
from tools.lint.files import ROOT

SPEC = ROOT / "configs/examples/p5-8.yaml"
BAD = """#!/bin/bash
#SBATCH --job-name=llama
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
#SBATCH --time=2-00:00:00
#SBATCH --requeue
#SBATCH --partition=trainig
export NCCL_SOCKET_IFNAME=eth0
export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz
#SBATCH --exclusive

srun torchrun --nproc_per_node=8 --nnodes=$SLURM_NNODES train.py \\
    --output_dir $HOME/checkpoints
"""
GOOD = """#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --exclusive
#SBATCH --time=2-00:00:00
#SBATCH --requeue --open-mode=append --signal=USR1@300
export NCCL_SOCKET_IFNAME=^docker,lo,veth
srun --kill-on-bad-exit=1 torchrun --nproc_per_node=8 --nnodes=$SLURM_NNODES train.py \\
    --output_dir /fsx/checkpoints
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p5-8.yaml").write_bytes(SPEC.read_bytes())


def run(text: str, *options: str) -> Answer:
    Path("job.sbatch").write_text(text, encoding="utf-8")
    return clusterwright("check-job", "p5-8.yaml", "job.sbatch", *options)


def as_json(text: str, *options: str) -> dict[str, Any]:
    answer = run(text, "--format", "json", *options)
    data: dict[str, Any] = json.loads(answer.out)
    jsonschema.validate(data, schemas()["check-job-output.schema.json"])
    assert data["exit_code"] == answer.exit_code
    assert answer.err == ""
    return data


def test_text(snapshot: SnapshotAssertion) -> None:
    answer = run(BAD)
    assert (answer.exit_code, answer.err) == (1, "")
    assert "hf_abc" not in answer.out
    assert answer.out == snapshot


def test_json(snapshot: SnapshotAssertion) -> None:
    data = as_json(BAD)
    assert (data["schema_version"], data["command"]) == (1, "check-job")
    assert (data["file"], data["job_file"]) == ("p5-8.yaml", "job.sbatch")
    assert data["findings"] == snapshot
    assert "hf_abc" not in json.dumps(data)


def test_good_file() -> None:
    answer = run(GOOD)
    assert (answer.exit_code, answer.err) == (0, "")
    assert "0 errors, 0 unknown" in answer.out
    data = as_json(GOOD)
    assert (data["findings"], data["unknown"], data["exit_code"]) == ([], [], 0)


def test_warnings_alone_do_not_fail() -> None:
    text = GOOD.replace("^docker,lo,veth", "eth0")
    assert [f["rule"] for f in as_json(text)["findings"]] == ["CW-J020"]
    assert run(text).exit_code == 0
    assert run(text, "--fail-on", "warning").exit_code == 1
    assert run(text, "--fail-on", "warning", "--skip", "CW-J020").exit_code == 0


def test_what_could_not_be_read_is_unknown() -> None:
    data = as_json(GOOD + "echo 'no end\n")
    assert data["exit_code"] == 2
    assert [(u["rule"], u["line"]) for u in data["unknown"]] == [("CW-J005", 11)]
    assert run(GOOD + "echo 'no end\n", "--strict").exit_code == 1


def test_rules_by_id() -> None:
    data = as_json(BAD, "--only", "CW-J010,CW-J060")
    assert {f["rule"] for f in data["findings"]} == {"CW-J010", "CW-J060"}
    assert data["summary"]["skipped"] == len(data["rules"]) - 2
    answer = run(BAD, "--only", "CW-X010")
    assert answer.exit_code == 3
    assert "did you mean CW-J010?" in answer.err


def test_capacity_ends() -> None:
    ending = SPEC.read_text(encoding="utf-8").replace(
        "    count: 8\n",
        "    count: 8\n    capacity: {kind: training-plan, arn: "
        "'arn:aws:sagemaker:us-east-1:111122223333:training-plan/a'}\n",
    )
    Path("p5-8.yaml").write_text(ending.replace("run: {hours: 168}\n", ""), encoding="utf-8")
    statuses = {r["rule"]: r["status"] for r in as_json(GOOD)["rules"]}
    assert statuses["CW-J015"] == "skipped"
    for when, expected in (("2020-01-01T00:00Z", ["error"]), ("2999-01-01", [])):
        data = as_json(GOOD, "--capacity-ends", when)
        found = [f["severity"] for f in data["findings"] if f["rule"] == "CW-J015"]
        assert found == expected
    assert run(GOOD, "--capacity-ends", "soon").exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no spec is named"),
        (["p5-8.yaml"], "no job file is named"),
        (["p5-8.yaml", "missing.sbatch"], "missing.sbatch: no such file"),
        (["p5-8.yaml", "."], "is a directory"),
        (["p5-8.yaml", "binary"], "not UTF-8"),
        (["p5-8.yaml", "large"], "more than 4,000,000 bytes"),
        (["missing.yaml", "job.sbatch"], "missing.yaml"),
    ],
)
def test_wrong_use(arguments: list[str], message: str) -> None:
    Path("job.sbatch").write_text(GOOD)
    Path("binary").write_bytes(b"#!/bin/bash\n\xff\xfe")
    Path("large").write_bytes(b"#" * 4_000_001)
    answer = clusterwright("check-job", *arguments)
    assert (answer.exit_code, answer.out) == (3, "")
    assert message in answer.err


def test_spec_by_option() -> None:
    Path("job.sbatch").write_text(GOOD)
    assert clusterwright("check-job", "--config", "p5-8.yaml", "job.sbatch").exit_code == 0
    twice = clusterwright("check-job", "--config", "p5-8.yaml", "p5-8.yaml", "job.sbatch")
    assert twice.exit_code == 3


MANIFEST = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: pretraining}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}
          containers:
            - name: pytorch
              image: pytorch
              resources: {limits: {nvidia.com/gpu: 8}}
"""


def test_manifests(snapshot: SnapshotAssertion) -> None:
    Path("job.yaml").write_text(MANIFEST)
    spec = ROOT / "configs/examples/full-hyperpod-eks.yaml"
    answer = clusterwright("check-job", spec, "job.yaml")
    assert (answer.exit_code, answer.err) == (1, "")
    assert answer.out == snapshot
    as_data = clusterwright("check-job", spec, "job.yaml", "--format", "json")
    data = json.loads(as_data.out)
    jsonschema.validate(data, schemas()["check-job-output.schema.json"])
    assert {rule["rule"] for rule in data["rules"]} == {r.id for r in rules_for_manifests()}
    only = clusterwright("check-job", spec, "job.yaml", "--only", "CW-J073")
    assert only.exit_code == 0
    assert f"1 warning, 0 unknown, {len(data['rules']) - 1} skipped" in only.out


@pytest.mark.parametrize(
    ("spec", "text", "rule"),
    [("full-hyperpod-eks", MANIFEST, "CW-J018"), ("p5-8", GOOD, "CW-J070")],
)
def test_rules_on_other_files_are_skipped(spec: str, text: str, rule: str) -> None:
    Path("job.yaml").write_text(text)
    path = str(ROOT / f"configs/examples/{spec}.yaml")
    arguments = ["check-job", path, "job.yaml", "--only"]
    answer = clusterwright(*arguments, rule)
    assert (answer.exit_code, answer.err) == (0, "")
    files = "batch scripts" if rule == "CW-J018" else "manifests"
    assert f"(nothing was checked: a rule on {files}" in answer.out
    data = json.loads(clusterwright(*arguments, rule, "--format", "json").out)
    found = {one["rule"]: one for one in data["rules"]}
    assert found[rule]["status"] == "skipped"
    assert found[rule]["skipped_because"].startswith(f"a rule on {files}, the file has ")
    assert data["summary"]["skipped"] == len(data["rules"])
    both = clusterwright(*arguments, "CW-J018,CW-J073,CW-J001")
    assert "nothing was checked" not in both.out


def test_options_without_an_effect_on_manifests_are_refused() -> None:
    Path("job.yaml").write_text(MANIFEST)
    spec = ROOT / "configs/examples/full-hyperpod-eks.yaml"
    answer = clusterwright("check-job", spec, "job.yaml", "--capacity-ends", "2999-01-01")
    assert (answer.exit_code, answer.out) == (3, "")
    assert "--capacity-ends" in answer.err


@pytest.mark.parametrize("name", ["dev-eks", "dev-hyperpod-eks"])
@pytest.mark.parametrize(
    "text",
    [GOOD, "", "spec: {{ x }}\nkind: [", "- kind: Job\n", "kind: {}\n", "kind:\n"],
)
def test_files_without_manifests_are_refused(name: str, text: str) -> None:
    Path("job.yaml").write_text(text)
    answer = clusterwright("check-job", ROOT / f"configs/{name}.yaml", "job.yaml")
    assert (answer.exit_code, answer.out) == (3, "")
    assert "no manifests" in answer.err or "not YAML" in answer.err


@pytest.mark.parametrize(
    "path", sorted((ROOT / "configs/examples").glob("*.yaml")), ids=lambda path: path.stem
)
def test_every_example(path: Path) -> None:
    Path("job.sbatch").write_text("#!/bin/bash\n#SBATCH --nodes=1\nsrun hostname\n")
    answer = clusterwright("check-job", path, "job.sbatch")
    assert answer.exit_code in (0, 3)
    assert ("has no manifests" in answer.err) is (answer.exit_code == 3)


def test_settings_beside_the_job_file_are_read() -> None:
    words = "--model_name_or_path meta-llama/Llama-3.1-70B --deepspeed zero.json --output_dir"
    text = GOOD.replace("--output_dir", words)
    assert "CW-J053" not in run(text).out
    Path("zero.json").write_text('{"zero_optimization": {"stage": 1}}', encoding="utf-8")
    assert "CW-J053" in run(text).out
