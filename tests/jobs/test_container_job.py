"""Rules on batch scripts that hold for containers of manifests."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.jobs.registry import all_rules, manifest_rules, rules_for_manifests
from tests.jobs.made_manifests import MOUNT, check, fails, passes, pod, pytorch_job


def training(
    command: list[str] | None = None,
    env: dict[str, str] | None = None,
    limits: dict[str, Any] | None = None,
    **more: Any,
) -> str:
    """Four pods of a PyTorchJob with a program."""
    made = pod(limits, **more)
    container = made["containers"][0]
    container["command"] = command or ["torchrun", "--nproc-per-node=8", "train.py"]
    container["env"] = [{"name": name, "value": value} for name, value in (env or {}).items()]
    return pytorch_job(made, replicas=4)


def test_rules_of_both_kinds_of_files() -> None:
    shared = {rule.id for rule in all_rules() if rule.containers}
    assert {"CW-J050", "CW-J051", "CW-J067"} <= shared
    assert "CW-J034" not in shared  # of srun
    ids = [rule.id for rule in rules_for_manifests()]
    assert ids == [*sorted(shared), *(rule.id for rule in manifest_rules())]


@pytest.mark.parametrize(
    ("rule", "command", "message"),
    [
        (
            "CW-J051",
            ["torchrun", "--nnodes=2", "train.py"],
            "waits for 2 nodes, and the pods are 4",
        ),
        ("CW-J050", ["torchrun", "--nproc-per-node=4", "train.py"], "4 of the 8 GPUs of each pod"),
        (
            "CW-J050",
            ["bash", "-c", "torchrun --nproc-per-node=16 train.py"],
            "16 processes per pod",
        ),
        ("CW-J062", ["torchrun", "--nproc-per-nodes", "8", "train.py"], "nproc-per-nodes"),
        (
            "CW-J023",
            ["torchrun", "--rdzv-endpoint=localhost:29500", "train.py"],
            "each node is its own master",
        ),
        (
            "CW-J063",
            ["torchrun", "pretrain_gpt.py", "--tensor-model-parallel-size", "16"],
            "crosses the network",
        ),
    ],
)
def test_programs(rule: str, command: list[str], message: str) -> None:
    found = fails(rule, training(command))
    assert message in found.message
    assert "srun" not in (found.hint or "")
    assert found.position is not None
    assert found.position.line > 1


@pytest.mark.parametrize(
    ("rule", "name", "value"),
    [
        ("CW-J021", "FI_PROVIDER", "tcp"),
        ("CW-J022", "NCCL_P2P_DISABLE", "1"),
        ("CW-J025", "CUDA_VISIBLE_DEVICES", "0,1"),
        ("CW-J067", "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:true"),
        ("CW-J069", "OMP_NUM_THREADS", "96"),
    ],
)
def test_variables(rule: str, name: str, value: str) -> None:
    text = training(env={name: value})
    found = fails(rule, text)
    assert found.position is not None
    assert value in found.position.source_line
    passes(rule, training(env={name: f"${name}"}))


def test_checkpoints() -> None:
    run = ["torchrun", "train.py", "--save-dir", "/checkpoints/run"]
    found = fails("CW-J040", training(run))
    assert found.message == "/checkpoints/run is on the root disk of each node"
    volumes = [{"name": "shm", "emptyDir": {"medium": "Memory"}}]
    claim = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    mounts = [*MOUNT, {"name": "data", "mountPath": "/checkpoints/"}]
    for volume, fits in ((claim, True), ({"name": "data", "emptyDir": {}}, False)):
        made = training(run, volumes=[*volumes, volume]).replace(
            '"mountPath": "/dev/shm"', '"mountPath": "/dev/shm"}, {' + str(mounts[1])[1:-1]
        )
        made = made.replace("'", '"')
        rules = {finding.rule for finding in check(made).findings}
        assert ("CW-J040" in rules) is not fits


def test_what_is_not_judged() -> None:
    """Without accelerators, or where a program fills in the number, nothing is known."""
    wrong = ["torchrun", "--nproc-per-node=16", "train.py"]
    passes("CW-J050", training(wrong, limits={"cpu": 4}))
    passes("CW-J050", training(wrong, limits={"nvidia.com/gpu": "$GPUS"}))
    passes("CW-J051", training(["torchrun", "--nnodes=$NODES", "train.py"]))
    passes("CW-J050", pytorch_job(pod(), replicas=4))


@pytest.mark.parametrize(
    "command",
    [
        ["./run_train.sh", "--parallelism.tensor_parallel_degree=8"],
        ["python", "train.py", "fit", "--trainer.devices=8"],
        ["mpirun", "-np", "8", "python", "train.py", "--tensor-model-parallel-size=8"],
    ],
)
def test_programs_that_may_start_processes(command: list[str]) -> None:
    text = training(command)
    for rule in ("CW-J050", "CW-J052"):
        passes(rule, text)


@pytest.mark.parametrize("kind", ["JobSet", "Job", "Deployment", "Pod"])
def test_pods_that_may_train_by_themselves(kind: str) -> None:
    run = ["torchrun", "--nnodes=2", "--rdzv-endpoint=localhost:1", "train.py"]
    text = training(run).replace("PyTorchJob", kind)
    passes("CW-J051", text)
    passes("CW-J023", text)


def test_arguments_of_an_image_are_not_options_of_srun() -> None:
    made = pod()
    made["containers"][0]["args"] = ["-n", "1", "--nodes=1", "torchrun", "--nnodes=2", "train.py"]
    passes("CW-J051", pytorch_job(made, replicas=2))
