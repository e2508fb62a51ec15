"""The list of what jobs need: complete, in order, and without commands for what is unknown."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes import operators as operators_module
from clusterwright.platforms.kubernetes.charts import listed_charts
from clusterwright.platforms.kubernetes.jobs import job_manifests
from clusterwright.platforms.kubernetes.operator_releases import MPI_JOB, PYTORCH_JOB, RELEASES
from clusterwright.platforms.kubernetes.operators import (
    HYPERPOD_JOB,
    KINDS,
    KUEUE,
    Operator,
    job_kinds,
    listed,
    operators,
    required,
)
from clusterwright.platforms.kubernetes.queues import queue_manifests
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import DIGEST, EKS, HYPERPOD, KARPENTER
from tests.support.rich_specs import changed

SPECS: dict[str, dict[str, Any]] = {"eks": EKS, "hyperpod": HYPERPOD, "karpenter": KARPENTER}
BUILT_IN = {"v1", "scheduling.k8s.io/v1"}
"""API versions of Kubernetes itself."""

CHARTS = "kubernetes__workloads__charts"


def found(load: Load, spec: dict[str, Any]) -> list[Operator]:
    return operators(load(spec), load_catalog(), "configs/test.yaml")


@pytest.mark.parametrize("name", SPECS)
def test_everything_that_jobs_and_queues_use_is_provided(load: Load, name: str) -> None:
    cluster, catalog = load(SPECS[name]), load_catalog()
    provided = {each for one in found(load, SPECS[name]) for each in one.provides}
    assert required(cluster, catalog) <= provided
    custom = [*job_manifests(cluster, catalog), *queue_manifests(cluster, catalog)]
    for each in custom:
        kind = f"{each['apiVersion']} {each['kind']}"
        group = each["apiVersion"].split("/")[0]
        by_kueue = group == KUEUE and f"{KUEUE} ClusterQueue" in provided
        assert kind in provided or by_kueue or each["apiVersion"] in BUILT_IN, kind


@pytest.mark.parametrize("name", SPECS)
def test_the_resources_of_pods_are_provided(load: Load, name: str) -> None:
    cluster, catalog = load(SPECS[name]), load_catalog()
    provided = {each for one in found(load, SPECS[name]) for each in one.provides}
    for manifest in job_manifests(cluster, catalog):
        text = str(manifest)
        for resource in ("nvidia.com/gpu", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa"):
            assert f"'{resource}'" not in text or resource in provided


def test_order_on_eks(load: Load) -> None:
    names = [one.name for one in found(load, EKS)]
    assert names[:3] == ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]
    assert names[-6:] == [
        "nvidia-device-plugin",
        "neuron-helm-chart",
        "aws-efa-k8s-device-plugin",
        "training-operator",
        "mpi-operator",
        "kueue",
    ]
    assert [one.order for one in found(load, EKS)] == list(range(1, len(names) + 1))


def test_order_on_hyperpod(load: Load) -> None:
    names = [one.name for one in found(load, HYPERPOD)]
    assert len(names) == len(set(names))
    assert names.index("vpc-cni") < names.index("hyperpod-helm-chart") < names.index("coredns")
    operator = "amazon-sagemaker-hyperpod-training-operator"
    assert names.index("cert-manager") < names.index(operator)
    assert not {"training-operator", "mpi-operator"} & set(names)


@pytest.mark.parametrize("name", SPECS)
def test_what_is_unknown_has_a_hint_and_no_commands(load: Load, name: str) -> None:
    for one in found(load, SPECS[name]):
        row = listed(one)
        if one.missing:
            assert not one.commands
            assert one.hint
            assert all(row[key] == "unknown" for key in one.missing)
        else:
            assert bool(one.commands) == (one.installed_by != "cdk deploy")
            assert one.version
        for command in (*one.commands, one.ready):
            assert shlex.split(command)
        assert one.source
        assert one.date


def test_a_digest_in_the_spec_gives_commands(load: Load) -> None:
    [kueue] = [one for one in found(load, EKS) if one.name == "kueue"]
    assert kueue.commands == (
        "helm pull oci://registry.k8s.io/kueue/charts/kueue --version 0.12.3",
        f"echo '{DIGEST}  kueue-0.12.3.tgz' | sha256sum --check",
        "clusterwright render kubernetes configs/test.yaml --part values --chart kueue > "
        "kueue.yaml",
        "helm upgrade --install kueue kueue-0.12.3.tgz --namespace kueue-system "
        "--create-namespace --values kueue.yaml",
    )
    [without] = [one for one in found(load, changed(EKS, **{CHARTS: []})) if one.name == "kueue"]
    assert (without.missing, without.commands) == (("sha256",), ())


def test_the_manifests_of_operators_are_pinned_by_content(load: Load) -> None:
    manifests = {one.name: one for one in found(load, EKS) if one.kind == "manifest"}
    assert list(manifests) == ["training-operator", "mpi-operator"]
    for one in manifests.values():
        assert one.missing == ()
        pin = one.sha256 or one.commit
        assert pin is not None
        assert re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", pin)
        # It is compared before anything is applied.
        compared = [n for n, each in enumerate(one.commands) if pin in each]
        applied = [n for n, each in enumerate(one.commands) if each.startswith("kubectl apply ")]
        assert compared
        assert applied == [len(one.commands) - 1]
        assert max(compared) < applied[0]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_the_operators_define_no_kind_twice(tmp_path: Path) -> None:
    """Kubernetes refuses a second mpijobs.kubeflow.org (kubeflow/trainer#1930)."""
    overlay = tmp_path / "training-operator/manifests/overlays/standalone"
    overlay.mkdir(parents=True)
    kinds = ("mpijobs", "pytorchjobs")
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{kind}.kubeflow.org"},
        }
        for kind in kinds
    ]
    container = {"name": "training-operator", "command": ["/manager"]}
    objects.append(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "training-operator"},
            "spec": {"template": {"spec": {"containers": [container]}}},
        }
    )
    (overlay / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    (overlay / "kustomization.yaml").write_text("resources:\n- objects.yaml\n")
    [change] = [
        each
        for release in RELEASES
        for each in release.commands
        if each.endswith("kustomization.yaml")
    ]
    subprocess.run(["bash", "-c", change], cwd=tmp_path, check=True)
    built = subprocess.run(
        ["kubectl", "kustomize", overlay],
        check=True,
        capture_output=True,
        text=True,
    )
    found = {each["metadata"]["name"]: each for each in yaml.safe_load_all(built.stdout)}
    assert set(found) == {"pytorchjobs.kubeflow.org", "training-operator"}
    [started] = found["training-operator"]["spec"]["template"]["spec"]["containers"]
    assert started["args"] == ["--enable-scheme=pytorchjob"]


def test_a_repository_that_is_unknown_has_no_commands(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = listed_charts()
    name = "neuron-helm-chart"
    without = known | {name: replace(known[name], repository=None)}
    monkeypatch.setattr(operators_module, "listed_charts", lambda: without)
    [neuron] = [one for one in found(load, EKS) if one.name == "neuron-helm-chart"]
    assert neuron.missing == ("repository",)


def test_kinds_of_jobs(load: Load) -> None:
    assert set(KINDS.values()) == {PYTORCH_JOB, MPI_JOB, HYPERPOD_JOB}
    assert job_kinds(load(changed(EKS, kubernetes__workloads__jobs=[]))) == (PYTORCH_JOB, MPI_JOB)
    assert HYPERPOD_JOB in job_kinds(load(HYPERPOD))


def test_ready_commands_name_definitions_or_resources(load: Load) -> None:
    ready = {one.name: one.ready for one in found(load, EKS)}
    assert ready["training-operator"] == (
        "kubectl wait --for=condition=Established --timeout=5m crd/pytorchjobs.kubeflow.org"
    )
    assert r".status.allocatable.vpc\.amazonaws\.com/efa" in ready["aws-efa-k8s-device-plugin"]
    assert ready["vpc-cni"].startswith("aws eks wait addon-active --region us-east-1 ")
