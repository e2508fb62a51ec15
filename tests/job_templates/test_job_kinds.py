"""Training jobs as JobSets and TrainJobs."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.registry import all_templates, template_named
from clusterwright.job_templates.rendering import render
from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import JobTemplate, RefusedError
from tests.job_templates.made import (
    NOW,
    kubernetes_cluster,
    made_cluster,
    made_plan,
    rendered,
    required_settings,
)
from tests.job_templates.pods import GIVEN, pod_objects
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
from tests.support.rich_specs import changed

UNQUEUED = changed(
    EKS,
    kubernetes__workloads__queueing="none",
    kubernetes__workloads__charts=None,
    tenants__0__weight=None,
    tenants__2__borrowing=None,
)
"""Without Kueue."""

TRAINING = [t for t in all_templates() if t.trains and t.kubernetes is not None]


def batch_job(job_set: dict[str, Any]) -> dict[str, Any]:
    (replicated,) = job_set["replicatedJobs"]
    found: dict[str, Any] = replicated["template"]["spec"]
    return found


def test_a_job_set_starts_all_pods_again() -> None:
    found = pod_objects("fsdp2", plan=made_plan(), job_kind="JobSet", restarts="7", time="60")
    spec = found["JobSet"]["spec"]
    assert set(found) == {"ConfigMap", "JobSet"}
    assert found["JobSet"]["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
    (rule,) = spec["failurePolicy"]["rules"]
    assert spec["failurePolicy"]["maxRestarts"] == 7
    assert (rule["action"], rule["onJobFailureReasons"]) == ("FailJobSet", ["PodFailurePolicy"])
    job = batch_job(spec)
    assert (job["completions"], job["parallelism"], job["backoffLimit"]) == (4, 4, 0)
    assert job["activeDeadlineSeconds"] == 3600
    (final,) = job["podFailurePolicy"]["rules"]
    codes = final["onExitCodes"]["values"]
    # 190 starts the pods again; 92 to 94 are final.
    assert {92, 93, 94} <= set(codes)
    assert 190 not in codes
    assert 137 not in codes
    pod = job["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    assert pod["terminationGracePeriodSeconds"] == 840
    (container,) = pod["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert {"name": "programs", "configMap": {"name": "fsdp2-programs"}} in pod["volumes"]
    variables = {one["name"]: one.get("value") for one in container["env"]}
    assert variables == {
        "PET_NNODES": "4",
        "PET_NPROC_PER_NODE": "8",
        "PET_MASTER_ADDR": "fsdp2-node-0-0.fsdp2",
        "PET_MASTER_PORT": "29500",
        "PET_NODE_RANK": None,
    }
    assert "torchrun --max-restarts=0" in found["ConfigMap"]["data"]["run.sh"]


def test_a_train_job_has_its_pods_in_a_runtime() -> None:
    found = pod_objects("fsdp2", UNQUEUED, plan=made_plan(), job_kind="TrainJob")
    runtime, job = found["TrainingRuntime"], found["TrainJob"]
    assert job["spec"]["runtimeRef"] == {
        "apiGroup": "trainer.kubeflow.org",
        "kind": "TrainingRuntime",
        "name": runtime["metadata"]["name"],
    }
    assert job["metadata"]["namespace"] == runtime["metadata"]["namespace"]
    assert job["spec"]["trainer"] == {"numNodes": 4, "numProcPerNode": 8}
    assert runtime["spec"]["mlPolicy"] == {"numNodes": 4, "torch": {}}
    (replicated,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    labels = replicated["template"]["metadata"]["labels"]
    assert labels == {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    pod = batch_job(runtime["spec"]["template"]["spec"])["template"]["spec"]
    # Trainer gives torchrun's variables to the container of this name.
    assert [one["name"] for one in pod["containers"]] == ["node"]
    assert "env" not in pod["containers"][0]


@pytest.mark.parametrize("kind", ["JobSet", "TrainJob"])
@pytest.mark.parametrize("template", TRAINING, ids=lambda template: template.name)
def test_every_training_job_has_these_forms(template: JobTemplate, kind: str) -> None:
    given = {**required_settings(template), "job_kind": kind}
    assert kind in pod_objects(template.name, UNQUEUED, **given)


def test_a_note_says_that_nothing_installs_the_controller() -> None:
    def notes(kind: str) -> tuple[str, ...]:
        given = {**GIVEN, "job_kind": kind}
        cluster = kubernetes_cluster(UNQUEUED)
        template = template_named("fsdp2")
        return render(cluster, load_catalog(), template, given, made_plan(), NOW).notes

    (note,) = notes("TrainJob")
    assert note.startswith("nothing here installs the controller of TrainJob: `kubectl get crd/")
    assert "crd/trainingruntimes.trainer.kubeflow.org" in note
    assert "crd/jobsets.jobset.x-k8s.io" in notes("JobSet")[0]
    assert notes("platform") == ()


def test_kinds_that_would_not_be_queued_are_refused() -> None:
    with pytest.raises(RefusedError, match="Kueue would not queue a TrainJob"):
        pod_objects("fsdp2", job_kind="TrainJob")
    with pytest.raises(SettingError, match="does not run jobs with Kubernetes"):
        rendered("fsdp2", made_cluster(), job_kind="JobSet")


def test_task_governance_is_not_known_to_queue_them() -> None:
    governed = changed(
        HYPERPOD, kubernetes__workloads__queueing=None, hyperpod__task_governance={}
    )
    with pytest.raises(RefusedError, match="task governance take a JobSet is unknown"):
        pod_objects("fsdp2", governed, nodes="2", job_kind="JobSet")


@pytest.mark.parametrize(
    ("kind", "path", "value", "reason"),
    [
        ("JobSet", "spec.failurePolicy.rules.0.action", "Fail", "not one of"),
        ("JobSet", "spec.failurePolicy.rules.0.onJobFailureReasons", ["Other"], "not one of"),
        ("JobSet", "spec.replicatedJobs.0.parallelism", 2, "unexpected"),
        ("TrainJob", "spec.runtimeRef", {}, "required"),
        ("TrainJob", "spec.trainer.numProcPerNode", "8", "is not of type"),
        ("TrainingRuntime", "spec.mlPolicy.torch", {"nodes": 2}, "unexpected"),
    ],
)
def test_the_shapes_refuse_what_the_controllers_refuse(
    kind: str, path: str, value: Any, reason: str
) -> None:
    job_kind = "JobSet" if kind == "JobSet" else "TrainJob"
    here: Any = pod_objects("fsdp2", UNQUEUED, plan=made_plan(), job_kind=job_kind)[kind]
    wrong = here
    *parents, last = path.split(".")
    for part in parents:
        here = here[int(part)] if isinstance(here, list) else here[part]
    here[last] = value
    assert any(reason in error for error in validator.errors(wrong, "1.35"))
