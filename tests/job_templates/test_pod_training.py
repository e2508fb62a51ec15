"""The script of training pods: resume, save on TERM, exit codes for the operator."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from clusterwright.job_templates.slurm import fragment
from tests.job_templates.made import kubernetes_cluster, made_plan, manifests, rendered
from tests.platforms.kubernetes.specs import EKS, HYPERPOD, IMAGE
from tests.support.rich_specs import changed

GIVEN = {"image": IMAGE, "tenant": "pretraining"}


def pod_job(base: dict[str, Any] = EKS, plan: Any = None, **given: str) -> list[dict[str, Any]]:
    """The ConfigMap and the job."""
    return manifests(rendered("fsdp2", kubernetes_cluster(base), plan=plan, **GIVEN | given))


def script(folder: Path, launcher: str, **given: str) -> Path:
    """The script of the pod with folders and a launcher of the test."""
    text = pod_job(EKS, None, nodes="1", **given)[0]["data"]["run.sh"]
    (folder / "torchrun").write_text(launcher)
    (folder / "torchrun").chmod(0o755)
    path = folder / "run.sh"
    path.write_text(text.replace("/fsx", str(folder / "fsx")), encoding="utf-8")
    return path


def started(path: Path) -> subprocess.Popen[str]:
    environment = {"PATH": f"{path.parent}:{os.environ['PATH']}", "HOSTNAME": "fsdp2-worker-0"}
    return subprocess.Popen(
        ["bash", str(path)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
    )


def ended(path: Path) -> tuple[int, str]:
    process = started(path)
    output, _ = process.communicate(timeout=60)
    return process.returncode, output


SAVE = """#!/bin/bash
folder={folder}/fsx/checkpoints/fsdp2/step-{step}
mkdir -p "$folder" && touch "$folder/.metadata"
exit {code}
"""


def test_a_complete_run(tmp_path: Path) -> None:
    path = script(tmp_path, SAVE.format(folder=tmp_path, step=1000, code=0))
    code, output = ended(path)
    assert code == 0, output
    assert "the run is complete" in output
    log = tmp_path / "fsx/runs/fsdp2/fsdp2-worker-0.log"
    assert "newest whole checkpoint: 1000" in log.read_text()


def test_a_failure_is_retried_until_nothing_is_saved(tmp_path: Path) -> None:
    path = script(tmp_path, SAVE.format(folder=tmp_path, step=7, code=1), attempts="2")
    assert ended(path)[0] == 190
    # Nothing newer than step 7: the second such start is the last.
    assert [ended(path)[0] for _ in range(2)] == [190, 93]
    # A new submission begins at zero.
    assert ended(path)[0] == 190


WORKER = """#!/bin/bash
LOCAL_RANK=0 bash -c '
  trap "mkdir -p {folder}/fsx/checkpoints/fsdp2/step-3
    touch {folder}/fsx/checkpoints/fsdp2/step-3/.metadata
    exit $EXIT_WHEN_SAVED" USR1
  touch {folder}/ready
  while true; do sleep 0.1; done' &
wait $!
"""


def test_term_saves_and_the_pod_starts_again(tmp_path: Path) -> None:
    process = started(script(tmp_path, WORKER.format(folder=tmp_path)))
    deadline = time.monotonic() + 30
    while not (tmp_path / "ready").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 190, output
    assert (tmp_path / "fsx/checkpoints/fsdp2/step-3/.metadata").exists()
    assert "exit code 95, newest whole checkpoint: 3" in output


def test_too_little_time_before_the_capacity_ends(tmp_path: Path) -> None:
    path = script(tmp_path, "#!/bin/sh\nexit 1\n", capacity_ends="2026-11-23T12:01Z")
    code, output = ended(path)
    assert code == 0
    assert "too little time for a step" in output


@pytest.mark.parametrize(
    ("line", "said", "ends"),
    [
        ("NCCL INFO Using network Socket", "NCCL uses TCP sockets", True),
        ("NCCL INFO NET/OFI Selected Provider is efa", "NCCL uses EFA", False),
    ],
)
def test_the_network_is_found_in_a_long_log(
    tmp_path: Path, line: str, said: str, ends: bool
) -> None:
    """The line is the first of three megabytes, which no pipe holds."""
    text = fragment("pod_training")
    watch = text[text.index("watch_efa() {") :].split("\n}\n")[0] + "\n}\n"
    log = tmp_path / "log"
    log.write_text(line + "\n" + ("x" * 99 + "\n") * 30_000)
    head = (
        'set -o errexit -o nounset -o pipefail\nsay() { echo "$*"; }\nsleep() { :; }\n'
        f"HOSTNAME=pod LOG={log} LOG_START=1 RUN_PATH={tmp_path}\n"
        "command sleep 600 & STEP_PID=$!\n"
    )
    done = subprocess.run(
        ["bash", "-c", f"{head}{watch}watch_efa; kill $STEP_PID 2>/dev/null || true"],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert said in done.stdout
    assert (tmp_path / "no-efa.pod").exists() == ends


def test_plain_eks_restarts_by_exit_code() -> None:
    scripts, job = pod_job(plan=made_plan())
    spec = job["spec"]
    worker = spec["pytorchReplicaSpecs"]["Worker"]
    assert (worker["replicas"], worker["restartPolicy"]) == (4, "ExitCode")
    assert spec["elasticPolicy"] == {"rdzvBackend": "c10d", "minReplicas": 4, "maxReplicas": 4}
    assert "activeDeadlineSeconds" not in spec["runPolicy"]
    assert "annotations" not in job["metadata"]
    pod = worker["template"]["spec"]
    # Twice the 240 s of a save, five minutes, and one more.
    assert pod["terminationGracePeriodSeconds"] == 840
    assert {"name": "programs", "configMap": {"name": "fsdp2-programs"}} in pod["volumes"]
    assert "--steps=9000 --save-every=250 --keep=3" in scripts["data"]["run.sh"]
    assert "EXPECT_EFA=1" in scripts["data"]["run.sh"]
    assert scripts["data"]["fsdp2_pretrain.py"].startswith('"""Pre-training')


def test_hyperpod_uses_its_operator() -> None:
    scripts, job = pod_job(HYPERPOD, nodes="4")
    assert job["kind"] == "HyperPodPyTorchJob"
    assert "hyperpodrun --nnodes=4 --nproc-per-node=8 /opt/" in scripts["data"]["run.sh"]
    assert job["spec"]["runPolicy"]["jobMaxRetryCount"] == 100


def test_hyperpod_without_its_operator_resumes_by_annotation() -> None:
    base = changed(HYPERPOD, hyperpod__addons=[], kubernetes__workloads__jobs=[])
    _, job = pod_job(base, nodes="4", restarts="5", time="60")
    assert job["kind"] == "PyTorchJob"
    assert job["metadata"]["annotations"] == {
        "sagemaker.amazonaws.com/enable-job-auto-resume": "true",
        "sagemaker.amazonaws.com/job-max-retry-count": "5",
    }
    spec = job["spec"]
    assert spec["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] == "OnFailure"
    assert spec["runPolicy"]["backoffLimit"] == 20
    assert spec["runPolicy"]["activeDeadlineSeconds"] == 3600


@pytest.mark.parametrize("program", ["/fsx/train.py"])
def test_an_own_program(program: str) -> None:
    scripts, _ = pod_job(program=program)
    assert set(scripts["data"]) == {"run.sh"}
    assert f"torchrun --max-restarts=0 {program} " in scripts["data"]["run.sh"]
