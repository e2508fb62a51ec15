"""Acceptance on Kubernetes: the rendered objects, and the taint of nodes that are held."""

from __future__ import annotations

import json
from typing import Any

import pytest
from clusterwright_acceptance import expected, kubernetes_program
from clusterwright_acceptance.kubernetes_launcher import KubernetesLauncher

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.eks.user_data import SHELL_SCRIPT, user_data
from clusterwright.platforms.kubernetes import acceptance, acceptance_pods, kubelet_wait, render
from clusterwright.platforms.kubernetes.values import chart_values
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.conftest import Load, objects
from tests.platforms.kubernetes.specs import EKS, HELD, HYPERPOD, IMAGE, KARPENTER, OUTPUTS
from tests.support.rich_specs import changed

Objects = dict[tuple[str, str], dict[str, Any]]
TAINT = {"key": "clusterwright/acceptance", "value": "pending", "effect": "NoSchedule"}


@pytest.mark.parametrize("base", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
@pytest.mark.parametrize("version", ["1.30", "1.32", "1.35"])
def test_the_api_server_accepts_the_objects(
    load: Load, base: dict[str, Any], version: str
) -> None:
    found = list(objects(load, changed(base, acceptance=HELD)).values())
    assert [error for one in found for error in validator.errors(one, version)] == []
    assert validator.set_errors(found) == []
    # `kubectl apply` keeps a copy in an annotation, which holds 256 KiB.
    for one in found:
        assert len(json.dumps(one)) < 250 * 1024, one["metadata"]["name"]


@pytest.mark.parametrize("version", ["1.30", "1.35"])
def test_the_api_server_accepts_the_jobs_of_nodes_and_of_pairs(load: Load, version: str) -> None:
    template = objects(load, changed(EKS, acceptance=HELD))["CronJob", "nodes-trainium"]
    launcher = KubernetesLauncher(
        None,  # type: ignore[arg-type]
        acceptance_pods.NAMESPACE,
        template["spec"]["jobTemplate"]["spec"],
    )
    for nodes in (["ip-10-0-0-5.ec2.internal"], ["a", "b"]):
        job = launcher.job("test-1", nodes, ["python3", "-V"], 60.0, {"NCCL_DEBUG": "INFO"})
        assert validator.errors(job, version) == []
        assert job["spec"]["completions"] == len(nodes)
        pod = job["spec"]["template"]["spec"]
        assert pod["containers"][0]["resources"]["limits"] == {
            "aws.amazon.com/neuron": "16",
            "vpc.amazonaws.com/efa": "16",
        }
        tolerated = {one["key"] for one in pod["tolerations"]}
        assert tolerated == {"clusterwright/acceptance", "aws.amazon.com/neuron"}


def test_without_an_image_nothing_is_rendered(load: Load) -> None:
    assert objects(load, EKS) == {}


def test_the_expected_file_is_that_of_the_program(load: Load) -> None:
    found = objects(load, changed(EKS, acceptance=HELD))["ConfigMap", "expected"]["data"]
    one = expected.from_json(json.loads(found["workers.json"]))
    assert (one.node, one.instance_type, one.kind) == ("", "p5.48xlarge", "nvidia")
    assert (one.efa, one.lustre, one.group) == (True, (), "workers")
    assert one.floors == {"nvlink-allreduce": 440.0}
    assert [row["check"] for row in one.waivers] == ["clock"]


def test_the_program_is_complete(load: Load) -> None:
    found = objects(load, changed(EKS, acceptance=HELD))
    data = found["ConfigMap", "clusterwright-acceptance"]["data"]
    checks = found["ConfigMap", "clusterwright-acceptance-checks"]["data"]
    assert "clusterwright_acceptance.checks.gpu_count.py" in checks
    types = json.loads(data["clusterwright_acceptance.instance_types.json"])["types"]
    assert set(types) == {"p5.48xlarge", "trn2.48xlarge"}
    container = found["CronJob", "nodes-workers"]
    (volume,) = [
        one
        for one in container["spec"]["jobTemplate"]["spec"]["template"]["spec"]["volumes"]
        if one["name"] == "program"
    ]
    keys = {
        item["key"]
        for source in volume["projected"]["sources"]
        for item in source["configMap"]["items"]
    }
    common = found["ConfigMap", "clusterwright-common"]["data"]
    assert keys == {*data, *checks, *common}


def test_permissions_of_the_controller(load: Load) -> None:
    found = objects(load, changed(EKS, acceptance=HELD))
    assert found["ClusterRole", acceptance_pods.NAMESPACE]["rules"] == [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "patch"]}
    ]
    verbs = {
        resource: rule["verbs"]
        for rule in found["Role", "acceptance"]["rules"]
        for resource in rule["resources"]
    }
    assert verbs == {
        "cronjobs": ["list"],
        "jobs": ["create", "delete"],
        "pods": ["list"],
        "pods/log": ["get"],
        "configmaps": ["get", "list", "create", "update", "delete"],
    }
    test = found["CronJob", "nodes-workers"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert test["automountServiceAccountToken"] is False


@pytest.mark.parametrize("kind", [("CronJob", "acceptance"), ("Deployment", "acceptance-hold")])
def test_pods_with_a_token_satisfy_the_restricted_standard(
    load: Load, kind: tuple[str, str]
) -> None:
    spec = objects(load, changed(EKS, acceptance=HELD))[kind]["spec"]
    pod = spec.get("jobTemplate", {}).get("spec", spec)["template"]["spec"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    (container,) = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "runAsNonRoot": True,
        "runAsUser": 65534,
    }
    assert not pod.keys() & {"hostNetwork", "hostPID", "hostIPC"}
    assert {next(iter(one.keys() - {"name"})) for one in pod["volumes"]} == {
        "projected",
        "emptyDir",
    }


@pytest.mark.parametrize("hold", [True, False])
def test_the_schedule_is_that_of_the_hold(load: Load, hold: bool) -> None:
    spec = changed(EKS, acceptance={"image": IMAGE, "hold": hold})
    found = objects(load, spec)["CronJob", "acceptance"]["spec"]
    assert found["suspend"] is not hold
    args = found["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["args"]
    assert ("--hold" in args) is hold
    assert objects(load, spec)["CronJob", "nodes-workers"]["spec"]["suspend"] is True


@pytest.mark.parametrize("hold", [True, False])
def test_rechecks_have_the_lowest_priority_and_the_schedule(load: Load, hold: bool) -> None:
    spec = changed(EKS, acceptance={"image": IMAGE, "hold": hold, "recheck_hours": 168})
    found = objects(load, spec)
    (priority,) = [one for (kind, _), one in found.items() if kind == "PriorityClass"]
    assert priority["metadata"]["name"] == kubernetes_program.RECHECK_PRIORITY
    assert (priority["value"] < 0, priority["preemptionPolicy"]) == (True, "Never")
    assert validator.errors(priority, "1.35") == []
    controller = found["CronJob", "acceptance"]["spec"]
    assert controller["suspend"] is False
    args = controller["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["args"]
    assert ("--hold" in args) is hold
    assert "--recheck-hours=168" in args


def test_karpenter_s_nodes_are_held_by_a_startup_taint(load: Load) -> None:
    cluster = load(changed(KARPENTER, acceptance={"image": IMAGE, "hold": True}))
    placed = json.dumps({group.name: f"test-{group.name}" for group in cluster.compute})
    outputs = {**OUTPUTS, "KarpenterPlacementGroups": placed}
    found = list(render.manifests(cluster, load_catalog(), "autoscaling", outputs))
    assert [error for one in found for error in validator.errors(one, "1.35")] == []
    pools = [one for one in found if one["kind"] == "NodePool"]
    held = {
        pool["metadata"]["name"]: pool["spec"]["template"]["spec"].get("startupTaints")
        for pool in pools
    }
    assert held.pop("system") is None
    assert list(held.values()) == [[TAINT]] * len(held)
    assert held
    # Their kubelet waits after a reboot; Karpenter merges the archive with its own.
    script = user_data([(SHELL_SCRIPT, kubelet_wait.script())])
    classes = {
        one["metadata"]["name"]: one["spec"].get("userData")
        for one in found
        if one["kind"] == "EC2NodeClass"
    }
    assert classes == {"system": None, **dict.fromkeys(held, script)}


def test_device_plug_ins_run_on_held_nodes(load: Load) -> None:
    cluster = load(changed(EKS, acceptance={"image": IMAGE, "hold": True}))
    values = chart_values(cluster, load_catalog())["nvidia-device-plugin"]
    assert {
        "key": "clusterwright/acceptance",
        "operator": "Exists",
        "effect": "NoSchedule",
    } in values["tolerations"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hold": True}, "no node is tested without `image`"),
        (
            {
                "image": IMAGE,
                "waivers": [
                    {"check": "mounts", "reason": "pods mount them", "expires": "2027-01-31"}
                ],
            },
            "mounts is not tested on eks",
        ),
    ],
)
def test_what_has_no_effect_is_refused(load: Load, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecErrors, match=message):
        load(changed(EKS, acceptance=settings))


def test_long_names_of_groups_fit() -> None:
    names = {acceptance.template_name(name) for name in ("a" * 63, "a" * 62, "A" * 63, "a")}
    assert len(names) == 4
    assert all(len(name) <= 52 for name in names)
