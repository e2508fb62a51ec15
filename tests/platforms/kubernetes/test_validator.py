"""The validator finds every kind of mistake, and nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.render import PARTS, manifests
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD, KARPENTER, OUTPUTS

VERSION = "1.35"


@pytest.fixture(scope="module")
def good(load: Load) -> dict[str, dict[str, Any]]:
    """One valid object of every rendered kind."""
    found: dict[str, dict[str, Any]] = {}
    for spec in (KARPENTER, EKS, HYPERPOD):
        for part in PARTS:
            for each in manifests(load(spec), load_catalog(), part, OUTPUTS):
                found[each["kind"]] = each
    return found


BROKEN: list[tuple[str, str, Any, str]] = [
    # Keys and types of the schemas.
    ("Namespace", "metadata.labels", {"a b": "c"}, "the label 'a b' is none"),
    ("Namespace", "metadata.name", "Team", "no label of DNS"),
    ("Namespace", "metadata.namespace", "other", "must not"),
    ("Role", "rules.0.verb", ["get"], "'verb' was unexpected"),
    ("Role", "metadata.namespace", None, "it has no namespace"),
    ("RoleBinding", "roleRef", None, "'roleRef' is a required property"),
    ("ResourceQuota", "spec.hard", {"requests.nvidia.com/gpu": "eight"}, "is no quantity"),
    ("LimitRange", "spec.limits.0.defaultRequest", {"cpu": "-1"}, "is no quantity"),
    ("NetworkPolicy", "spec.policyTypes", "Ingress", "is not of type"),
    ("NetworkPolicy", "spec.podSelectors", {}, "unexpected"),
    ("PersistentVolume", "spec.csi.driver", 5, "is not of type"),
    ("PersistentVolumeClaim", "spec.accessModes", "ReadWriteMany", "is not of type"),
    ("PriorityClass", "metadata.name", "system-urgent", "Kubernetes' own"),
    ("PriorityClass", "value", "high", "is not of type"),
    ("Secret", "stringData.name", 5, "is not of type"),
    # Custom resources.
    ("ResourceFlavor", "spec.nodeLabels", {str(n): "x" for n in range(9)}, "too many"),
    ("LocalQueue", "spec.clusterQueue", "Team", "does not match"),
    ("ClusterQueue", "spec.queueingStrategy", "FIFO", "is not one of"),
    ("ClusterQueue", "spec.resourceGroups.0.flavors", [], "too short|non-empty"),
    ("WorkloadPriorityClass", "spec", {}, "unexpected"),
    ("Topology", "spec.levels", [], "too short|non-empty"),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Worker.restartPolicy", "Sometimes", "not one of"),
    ("PyTorchJob", "spec.pytorchReplicaSpecs.Workers", {}, "unexpected"),
    ("MPIJob", "spec.mpiReplicaSpecs.Worker.template.spec.container", [], "unexpected"),
    ("HyperPodPyTorchJob", "spec.elasticPolicy.maxReplica", 3, "unexpected"),
    ("NodePool", "spec.disruption.consolidateAfter", "ten minutes", "does not match"),
    ("HyperpodNodeClass", "spec.instanceGroups", [f"g{n}" for n in range(11)], "too long"),
    ("Application", "spec.destinations", {}, "unexpected"),
    # CEL.
    ("ClusterQueue", "spec.cohort", None, "borrowingLimit must be nil"),
    (
        "ClusterQueue",
        "spec.resourceGroups.0.coveredResources",
        ["cpu"],
        "the same number of resources",
    ),
    (
        "ClusterQueue",
        "spec.preemption",
        {"reclaimWithinCohort": "Never", "borrowWithinCohort": {"policy": "LowerPriority"}},
        "reclaimWithinCohort=Never",
    ),
    (
        "ResourceFlavor",
        "spec",
        {"nodeLabels": {}, "topologyName": "network"},
        "at least one nodeLabel",
    ),
    (
        "ResourceFlavor",
        "spec.tolerations",
        [{"key": "a", "operator": "Exists", "value": "b"}],
        "a value must be empty",
    ),
    ("ResourceFlavor", "spec.tolerations", [{"operator": "Equal"}], "must be Exists"),
    ("ResourceFlavor", "spec.nodeTaints", [{"key": "a", "effect": "Never"}], "taint effect"),
    (
        "Topology",
        "spec.levels",
        [{"nodeLabel": "kubernetes.io/hostname"}, {"nodeLabel": "rack"}],
        "only be used at the lowest level",
    ),
    ("Topology", "spec.levels", [{"nodeLabel": "rack"}, {"nodeLabel": "rack"}], "be unique"),
    (
        "NodePool",
        "spec.template.spec.requirements",
        [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": []}],
        "must have a value defined",
    ),
    (
        "NodePool",
        "spec.template.spec.requirements",
        [{"key": "karpenter.sh/nodepool", "operator": "Exists", "values": []}],
        "is restricted",
    ),
    (
        "NodePool",
        "spec.template.metadata",
        {"labels": {"team.k8s.io/model": "large"}},
        'label domain "k8s.io" is restricted',
    ),
    (
        "NodePool",
        "spec.disruption.budgets",
        [{"nodes": "1", "schedule": "@daily"}],
        "'schedule' must be set",
    ),
    ("EC2NodeClass", "spec.networkInterface", [], "unexpected"),
    ("EC2NodeClass", "spec.blockDeviceMappings.0.ebs.volumeSize", "200", "does not match"),
    ("EC2NodeClass", "spec.role", "nodes", "exactly one of"),
    ("EC2NodeClass", "spec.subnetSelectorTerms", [], "cannot be empty"),
    ("EC2NodeClass", "spec.amiSelectorTerms", [{"id": "ami-1"}], "must specify amiFamily"),
    ("EC2NodeClass", "spec.amiSelectorTerms", [{"alias": "al2023"}], "improperly formatted"),
    ("EC2NodeClass", "spec.tags", {"karpenter.sh/nodepool": "a"}, "restricted tag"),
    (
        "EC2NodeClass",
        "spec.networkInterfaces.0.interfaceType",
        "efa-only",
        "primary network interface",
    ),
    (
        "EC2NodeClass",
        "spec.networkInterfaces",
        [{"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}] * 2,
        "is there twice",
    ),
    ("EC2NodeClass", "spec.placementGroupSelector", {"name": "a", "id": "pg-1"}, "exactly one"),
    (
        "EC2NodeClass",
        "spec.capacityReservationSelectorTerms",
        [{"id": "cr-1", "ownerID": "111122223333"}],
        "mutually exclusive",
    ),
    ("NodeOverlay", "spec.capacity", {"memory": "1Gi"}, "invalid resource"),
    ("NodeOverlay", "spec.requirements.0.values", [], "must have a value"),
    # Checks in code.
    (
        "PyTorchJob",
        "spec.pytorchReplicaSpecs.Worker.template.spec.containers.0.resources.requests",
        {"nvidia.com/gpu": "4"},
        "requested and limited differently",
    ),
    (
        "PyTorchJob",
        "spec.pytorchReplicaSpecs.Worker.template.spec.volumes",
        [],
        "there is no volume",
    ),
    (
        "PyTorchJob",
        "spec.pytorchReplicaSpecs.Worker.template.spec.containers.0.image",
        "",
        "without an image",
    ),
    ("PyTorchJob", "metadata.name", "a" * 64, "no label of DNS"),
]


@pytest.mark.parametrize(("kind", "path", "value", "words"), BROKEN)
def test_invalid_object_is_refused(
    good: dict[str, dict[str, Any]], kind: str, path: str, value: Any, words: str
) -> None:
    assert validator.errors(good[kind], VERSION) == []
    broken = copy.deepcopy(good[kind])
    *parents, last = path.split(".")
    here: Any = broken
    for part in parents:
        here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
    if value is None:
        del here[last]
    else:
        here[last] = value
    text = "\n".join(validator.errors(broken, VERSION))
    assert any(each in text for each in words.split("|")), text


def test_every_rendered_kind_is_validated(good: dict[str, dict[str, Any]]) -> None:
    assert {kind for kind, *_ in BROKEN} == set(good)


def test_unknown_kind_is_refused() -> None:
    unknown = {"apiVersion": "example.com/v1", "kind": "Job", "metadata": {"name": "a"}}
    assert "no copy of it" in validator.errors(unknown, VERSION)[0]


def test_duplicate_names_are_found(good: dict[str, dict[str, Any]]) -> None:
    assert validator.set_errors([good["Namespace"], good["Namespace"]]) != []
    assert (
        validator.set_errors(
            [
                good["Namespace"],
                {**good["Role"], "metadata": {"name": "a", "namespace": "nowhere"}},
            ]
        )
        != []
    )


def test_every_rule_except_transition_rules_is_evaluated() -> None:
    """A rule that the library cannot evaluate would fail the tests above; these are excluded."""
    left_out = sorted({rule for _, rule in validator.rules() if validator.is_of_changes(rule)})
    assert left_out == [
        "!has(oldSelf.topologyName) || self == oldSelf",
        "has(self.replicas) == has(oldSelf.replicas)",
        "self == oldSelf",
        "self.group == oldSelf.group",
        "self.kind == oldSelf.kind",
    ]
    for _, rule in validator.rules():
        if not validator.is_of_changes(rule):
            validator._program(rule)


def test_every_copy_names_its_source() -> None:
    for document in validator.custom_kinds().values():
        assert document["source"]
        assert document["date"]
        assert document["scope"] in ("Cluster", "Namespaced")
