"""Which jobs Kubernetes has, and the manifests of tasks and servers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.settings import SettingError
from tests.job_templates.made import shellcheck
from tests.job_templates.pods import pod_objects, pod_script
from tests.platforms.kubernetes.specs import HYPERPOD

MODEL = {"model": "/fsx/models/llama"}
DATA = {"source": "s3://acme-corpus/raw", "tokenizer": "/fsx/models/llama"}


def test_a_job_without_a_form_says_why() -> None:
    for template in all_templates():
        if template.unavailable is None:
            reasons = [template.kubernetes, template.kubernetes_refusal]
            assert sum(reason is not None for reason in reasons) == 1, template.name


def test_tasks_are_an_indexed_job() -> None:
    found = pod_objects("prepare-data", **DATA, tasks="6", cpus="4", time="120")
    job = found["Job"]
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 6, 6)
    assert spec["activeDeadlineSeconds"] == 7200
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
    (container,) = pod["containers"]
    # CPUs only: training jobs need the accelerators.
    assert container["resources"] == {"requests": {"cpu": "4", "memory": "4Gi"}}
    # 92 ends the job; what a drained node interrupts does not count.
    actions = {rule["action"]: rule for rule in spec["podFailurePolicy"]["rules"]}
    assert actions["FailJob"]["onExitCodes"] == {"operator": "In", "values": [92]}
    assert actions["Ignore"]["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]
    assert "prepare_data.py" in found["ConfigMap"]["data"]


def test_the_script_of_a_task(tmp_path: Path) -> None:
    text = pod_script("prepare-data", **DATA, tasks="6", cpus="4", format="tokens")
    for name in ("python", "aws"):
        (tmp_path / name).write_text(f'#!/bin/bash\necho "{name} $*" >>"{tmp_path}/calls"\n')
        (tmp_path / name).chmod(0o755)
    path = tmp_path / "run.sh"
    path.write_text(text.replace("/fsx", str(tmp_path / "fsx")), encoding="utf-8")
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOSTNAME": "prepare-data-3-abcde"}
    done = subprocess.run(
        ["bash", str(path)],
        env={**environment, "JOB_COMPLETION_INDEX": "3"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = (tmp_path / "calls").read_text().splitlines()
    assert "download" in first
    assert "prepare" in second
    assert "--task=3 --tasks=6 --workers=4" in second
    assert shellcheck(path) == ""


@pytest.mark.parametrize(
    ("job", "given", "words"),
    [
        ("convert-checkpoint", MODEL, "--kind=torchtitan"),
        ("evaluate-checkpoint", {"tasks": "arc_easy"}, "--tasks=arc_easy"),
        ("checkpoint-cleanup", {"remove": "yes"}, "--keep=3 --remove"),
    ],
)
def test_checkpoints(job: str, given: dict[str, str], words: str) -> None:
    found = pod_objects(job, checkpoints="/fsx/checkpoints/run", **given)
    assert found["Job"]["spec"]["completions"] == 1
    script = found["ConfigMap"]["data"]["run.sh"]
    assert words in script
    assert "checkpoint_cleanup.py" in found["ConfigMap"]["data"]


def test_a_server_is_ready_when_it_is_healthy() -> None:
    found = pod_objects("vllm", **MODEL, key_file="/fsx/keys/vllm", health_minutes="20")
    deployment, service = found["Deployment"], found["Service"]
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    probe = {"path": "/health", "port": "http"}
    names = ("startupProbe", "readinessProbe", "livenessProbe")
    assert [container[name]["httpGet"] for name in names] == [probe] * 3
    assert container["startupProbe"]["failureThreshold"] == 120
    assert container["ports"] == [{"name": "http", "containerPort": 8000}]
    assert service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    script = found["ConfigMap"]["data"]["run.sh"]
    assert "VLLM_API_KEY=$(</fsx/keys/vllm)\n" in script
    assert "exec vllm serve \\\n  /fsx/models/llama \\\n" in script


def test_what_a_server_of_kubernetes_cannot() -> None:
    with pytest.raises(SettingError, match="have to restart together"):
        pod_objects("vllm", **MODEL, nodes="2")
    with pytest.raises(SettingError, match="runs until it is deleted"):
        pod_objects("vllm", **MODEL, time="60")


@pytest.mark.parametrize(
    ("job", "given", "signal"),
    [
        ("torchtitan", {"tokenizer": "/fsx/models/llama"}, ""),
        ("megatron-lm", {}, "TERM"),
        ("megatron-bridge", {}, "TERM"),
        ("lora", {"weights": "/fsx/models/llama", "dataset": "/fsx/data/chat"}, "USR1"),
    ],
)
def test_training_jobs_save_with_the_frameworks_signal(
    job: str, given: dict[str, str], signal: str
) -> None:
    for spec in (None, HYPERPOD):
        objects = pod_objects(job, **given) if spec is None else pod_objects(job, spec, **given)
        script = objects["ConfigMap"]["data"]["run.sh"]
        assert f"SAVE_SIGNAL={signal}\n" in script
        # Frameworks that end with 0 when they have saved: the last step tells.
        assert ("LAST_STEP=0\n" in script) == (signal == "USR1")
