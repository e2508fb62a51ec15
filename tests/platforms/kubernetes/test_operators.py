"""The list of what jobs need: complete, in order, and without commands for what is unknown."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.jobs import job_manifests
from clusterwright.platforms.kubernetes.operators import (
    HYPERPOD_JOB,
    KINDS,
    KUEUE,
    MPI_JOB,
    PYTORCH_JOB,
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
            assert bool(one.commands) == (one.installed_by == "helm")
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


def test_no_source_states_a_release_of_the_operators(load: Load) -> None:
    for one in found(load, EKS):
        if one.kind == "manifest":
            assert (one.version, one.missing) == (None, ("version", "sha256"))


def test_a_repository_that_is_unknown_has_no_commands(load: Load) -> None:
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
