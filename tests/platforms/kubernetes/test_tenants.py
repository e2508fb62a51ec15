"""Permissions and network access of a team: only its own namespace."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.kubernetes.control_plane import configuration_values
from clusterwright.platforms.kubernetes.storage import storage_manifests
from clusterwright.platforms.kubernetes.tenants import tenant_manifests
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD, OUTPUTS
from tests.support.rich_specs import changed


@pytest.fixture(scope="module")
def manifests(load: Load) -> list[dict[str, Any]]:
    return list(tenant_manifests(load(HYPERPOD), load_catalog()))


def of(
    manifests: list[dict[str, Any]], kind: str, namespace: str | None = None
) -> list[dict[str, Any]]:
    return [
        m
        for m in manifests
        if m["kind"] == kind and namespace in (None, m["metadata"].get("namespace"))
    ]


# -- rights -------------------------------------------------------------------------------------


def test_permissions_are_limited_to_the_namespace_and_named_groups(
    manifests: list[dict[str, Any]],
) -> None:
    assert not {m["kind"] for m in manifests} & {"ClusterRole", "ClusterRoleBinding"}
    bound = {
        m["metadata"]["namespace"]: [s["name"] for s in m["subjects"]]
        for m in of(manifests, "RoleBinding")
    }
    assert bound == {"pretraining": ["researchers"], "guests": ["guests"]}
    for binding in of(manifests, "RoleBinding"):
        assert binding["roleRef"]["kind"] == "Role"


def test_tenants_cannot_change_quotas_queues_policies_or_permissions(
    manifests: list[dict[str, Any]],
) -> None:
    kept = {
        "resourcequotas",
        "limitranges",
        "localqueues",
        "workloads",
        "networkpolicies",
        "roles",
        "rolebindings",
        "serviceaccounts",
        "persistentvolumeclaims",
        "namespaces",
        "*",
    }
    for role in of(manifests, "Role"):
        for rule in role["rules"]:
            if set(rule["verbs"]) - {"get", "list", "watch"}:
                assert not set(rule["resources"]) & kept
            assert "*" not in (*rule["verbs"], *rule["apiGroups"], *rule["resources"])


def test_hyperpod_jobs_have_hyperpod_permissions(
    load: Load, manifests: list[dict[str, Any]]
) -> None:
    def groups(found: list[dict[str, Any]]) -> set[str]:
        return {g for role in of(found, "Role") for r in role["rules"] for g in r["apiGroups"]}

    eks = list(tenant_manifests(load(EKS), load_catalog()))
    assert groups(manifests) - groups(eks) == {"sagemaker.amazonaws.com"}


def test_pods_have_no_host_access(manifests: list[dict[str, Any]]) -> None:
    for namespace in of(manifests, "Namespace"):
        labels = namespace["metadata"]["labels"]
        assert labels["pod-security.kubernetes.io/enforce"] == "baseline"


# -- network ------------------------------------------------------------------------------------

Peer = dict[str, Any]
"""`namespace` and `labels` of a pod, or the `address` of another peer."""


def allowed(
    manifests: list[dict[str, Any]],
    pod: Peer,
    direction: str,
    peer: Peer,
    port: int,
    protocol: str,
) -> bool:
    """As Kubernetes reads policies: what no policy of a direction selects is free, and what some
    do is what one of them lets through (documentation, "Network Policies").
    """
    kind, ends = ("Ingress", "from") if direction == "in" else ("Egress", "to")
    selecting = [
        m["spec"]
        for m in of(manifests, "NetworkPolicy", pod["namespace"])
        if kind in m["spec"]["policyTypes"]
    ]
    assert all(spec["podSelector"] == {} for spec in selecting)
    if not selecting:
        return True
    for spec in selecting:
        for rule in spec.get(kind.lower(), ()):
            ports = rule.get("ports")
            if ports is not None and not any(
                p["port"] == port and p["protocol"] == protocol for p in ports
            ):
                continue
            if any(_matches(one, peer, pod["namespace"]) for one in rule[ends]):
                return True
    return False


def _matches(selector: dict[str, Any], peer: Peer, own: str) -> bool:
    if "ipBlock" in selector:
        if "address" not in peer:
            return False
        block = ipaddress.ip_network(selector["ipBlock"]["cidr"])
        return ipaddress.ip_address(peer["address"]) in block
    if "namespace" not in peer:
        return False
    if "namespaceSelector" in selector:
        wanted = selector["namespaceSelector"]["matchLabels"]
        if wanted != {"kubernetes.io/metadata.name": peer["namespace"]}:
            return False
    elif peer["namespace"] != own:
        return False
    wanted = selector.get("podSelector", {}).get("matchLabels", {})
    return all(peer["labels"].get(key) == value for key, value in wanted.items())


def pod(namespace: str, **labels: str) -> Peer:
    return {"namespace": namespace, "labels": {k.replace("_", "-"): v for k, v in labels.items()}}


INSIDE, OTHER = pod("post-training"), pod("pretraining")
DNS = pod("kube-system", k8s_app="kube-dns")
OPERATOR = pod("aws-hyperpod")


@pytest.mark.parametrize(
    ("direction", "peer", "port", "protocol", "through"),
    [
        # NCCL's rendezvous and sshd of MPI use any port, within the team.
        ("in", INSIDE, 23456, "TCP", True),
        ("out", INSIDE, 22, "TCP", True),
        ("in", OTHER, 23456, "TCP", False),
        ("out", OTHER, 23456, "TCP", False),
        ("out", DNS, 53, "UDP", True),
        ("out", DNS, 53, "TCP", True),
        ("out", DNS, 443, "TCP", False),
        ("out", pod("kube-system"), 53, "UDP", False),
        ("in", DNS, 53, "UDP", False),
        ("out", {"address": "10.0.3.7"}, 443, "TCP", True),
        ("out", {"address": "10.0.3.7"}, 80, "TCP", False),
        ("out", {"address": "54.1.2.3"}, 443, "TCP", False),
        ("in", {"address": "10.0.3.7"}, 443, "TCP", False),
        ("out", {"address": "169.254.170.23"}, 80, "TCP", True),
        # The role of the node belongs to no tenant.
        ("out", {"address": "169.254.169.254"}, 80, "TCP", False),
        ("in", OPERATOR, 8080, "TCP", True),
        ("in", OPERATOR, 22, "TCP", False),
        ("out", OPERATOR, 8080, "TCP", False),
    ],
)
def test_network_policies_allow_the_documented_traffic(
    manifests: list[dict[str, Any]],
    direction: str,
    peer: Peer,
    port: int,
    protocol: str,
    through: bool,
) -> None:
    assert allowed(manifests, INSIDE, direction, peer, port, protocol) is through


def test_external_ranges_are_denied_by_default(load: Load) -> None:
    found = list(tenant_manifests(load(changed(EKS, tenants__1__egress_cidrs=[])), load_catalog()))
    assert not allowed(found, INSIDE, "out", {"address": "10.0.3.7"}, 443, "TCP")
    assert allowed(found, INSIDE, "out", DNS, 53, "UDP")


def test_network_policies_are_enforced_by_the_plugin() -> None:
    """The VPC CNI enforces policies only if it is configured to."""
    assert configuration_values("vpc-cni")["enableNetworkPolicy"] == "true"


# -- file systems -------------------------------------------------------------------------------


def test_volume_is_bound_to_one_namespace(load: Load) -> None:
    found = list(storage_manifests(load(HYPERPOD), OUTPUTS))
    claims = {
        (c["metadata"]["namespace"], c["metadata"]["name"]): c["spec"]
        for c in of(found, "PersistentVolumeClaim")
    }
    volumes = of(found, "PersistentVolume")
    assert len(volumes) == len(claims) == 6
    handles = [v["spec"]["csi"]["volumeHandle"] for v in volumes if "csi" in v["spec"]]
    assert len(set(handles)) == len(handles)
    for volume in volumes:
        reference = volume["spec"]["claimRef"]
        claim = claims[reference["namespace"], reference["name"]]
        assert claim["volumeName"] == volume["metadata"]["name"]
        assert claim["resources"]["requests"] == volume["spec"]["capacity"]
        assert claim["accessModes"] == volume["spec"]["accessModes"]
        # A separate class would create another file system; deleting a claim deletes no data.
        assert claim["storageClassName"] == volume["spec"]["storageClassName"] == ""
        assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
