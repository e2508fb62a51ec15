"""The API server of the spec's version accepts every manifest of every valid spec."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.kubernetes.render import PARTS, manifests
from clusterwright.platforms.validators import validators_of
from clusterwright.render.kubernetes import documents
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD, IMAGE, KARPENTER, OUTPUTS
from tests.support.rich_specs import changed

VERSIONS = ("1.30", "1.32", "1.35")

SPECS = {
    "eks": EKS,
    "hyperpod-eks": HYPERPOD,
    "karpenter": KARPENTER,
    "without tenants": changed(
        EKS,
        tenants=None,
        **{f"kubernetes__workloads__jobs__{n}__tenant": None for n in (0, 1)},
    ),
    "task governance": changed(
        HYPERPOD,
        hyperpod__task_governance={"fair_share": True},
        kubernetes__workloads={"jobs": HYPERPOD["kubernetes"]["workloads"]["jobs"]},
        tenants__0__priority=None,
    ),
    "without queues": changed(
        EKS,
        kubernetes__workloads__queueing="none",
        kubernetes__workloads__charts=[],
        tenants=[{"name": "a", "max_nodes": 2}],
        **{f"kubernetes__workloads__jobs__{n}__tenant": "a" for n in (0, 1)},
    ),
}


def everything(cluster: Cluster) -> list[dict[str, Any]]:
    catalog = load_catalog()
    placed = json.dumps({group.name: f"test-{group.name}" for group in cluster.compute})
    outputs = {**OUTPUTS, "KarpenterPlacementGroups": placed}
    return [m for part in PARTS for m in manifests(cluster, catalog, part, outputs)]


NAMES = st.from_regex(r"[a-z](-?[a-z0-9]){0,20}", fullmatch=True)

GROUPS = st.text(alphabet="abzABZ09-", min_size=1, max_size=63).filter(
    lambda name: name.strip("-") == name
)

TAINTS = st.fixed_dictionaries(
    {
        "key": st.sampled_from(["team", "team.example.com/model", "gpu"]),
        "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
    },
    optional={
        "value": st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,20}[A-Za-z0-9])?", fullmatch=True)
    },
)

TENANT = st.fixed_dictionaries(
    {"name": NAMES},
    optional={
        "weight": st.integers(1, 65_533),
        "max_nodes": st.integers(1, 6758),
        "groups": st.just(["researchers"]),
        "priority": st.just("urgent"),
        "egress_cidrs": st.lists(st.sampled_from(["10.0.0.0/16", "0.0.0.0/0"]), max_size=2),
    },
)

GROUP = st.fixed_dictionaries(
    {
        "name": GROUPS,
        "role": st.just("compute"),
        "instance_type": st.sampled_from(
            ["p5.48xlarge", "trn2.48xlarge", "p6-b300.48xlarge", "g5.xlarge", "m5.4xlarge"]
        ),
        "count": st.integers(0, 6758),
    },
    optional={"taints": st.lists(TAINTS, max_size=3, unique_by=lambda t: (t["key"], t["effect"]))},
)

PATHS = st.lists(
    st.from_regex(r"(/[A-Za-z][A-Za-z0-9_-]{0,12}){1,2}", fullmatch=True),
    max_size=3,
    unique_by=lambda path: path.replace("/", "-").strip("-"),
)


@st.composite
def _spec(draw: st.DrawFn) -> dict[str, Any]:
    platform = draw(st.sampled_from(["eks", "hyperpod-eks"]))
    karpenter = platform == "eks" and draw(st.booleans())
    groups = draw(st.lists(GROUP, min_size=1, max_size=4, unique_by=lambda g: g["name"].lower()))
    if karpenter:
        groups = [
            {**g, "max_count": min(6758, g["count"] + draw(st.integers(1, 50)))} for g in groups
        ]
    tenants = draw(st.lists(TENANT, max_size=4, unique_by=lambda t: t["name"]))
    jobs = [
        {
            "name": f"job-{index}",
            "kind": draw(st.sampled_from(["pytorch", "nccl-tests"])),
            "group": group["name"],
            "node_count": draw(st.integers(1, group["count"])),
            "image": IMAGE,
            "command": ["run"],
            **({"tenant": draw(st.sampled_from(tenants))["name"]} if tenants else {}),
        }
        for index, group in enumerate(groups)
        if group["count"]
    ]
    return changed(
        EKS,
        platform=platform,
        compute=[EKS["compute"][0], *groups],
        storage={
            "lustre": [
                {
                    "mount_path": path,
                    "existing": {
                        "id": "fs-0a1b2c3d4e5f60718",
                        "dns_name": "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
                        "mount_name": "abcdefgh",
                        "security_group_id": "sg-0f1e2d3c4b5a69788",
                    },
                }
                for path in draw(PATHS)
            ]
        },
        network={
            "availability_zone_id": "use1-az6",
            "existing": {
                "vpc_id": "vpc-0a1b2c3d4e5f60718",
                "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
                "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
                "control_plane_subnet_ids": [
                    "subnet-0a1b2c3d4e5f60718",
                    "subnet-0a1b2c3d4e5f60719",
                ],
            },
        },
        tenants=tenants,
        kubernetes__autoscaling="karpenter" if karpenter else "off",
        kubernetes__workloads={
            "priorities": [{"name": "urgent", "value": 1}],
            "jobs": jobs,
            "topology_api": "v1beta1" if platform == "hyperpod-eks" else None,
        },
    )


def _named(spec: dict[str, Any]) -> dict[str, Any]:
    """Names of file systems as in the resolved spec."""
    named = [
        {**fs, "name": "-".join(w for w in fs["mount_path"].replace("_", "-").split("/") if w)}
        for fs in spec["storage"]["lustre"]
    ]
    return {"lustre": [{**fs, "name": fs["name"].strip("-")} for fs in named]}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", SPECS)
def test_all_manifests_are_valid(load: Load, name: str, version: str) -> None:
    found = everything(load(SPECS[name]))
    assert [e for each in found for e in validator.errors(each, version)] == []
    assert validator.set_errors(found) == []


@settings(max_examples=30, suppress_health_check=list(HealthCheck), deadline=None)
@given(spec=_spec())
def test_random_specs_have_valid_manifests(spec: dict[str, Any]) -> None:
    """Only specs that pass the checks are rendered; all of them are valid."""
    cluster = Cluster.model_validate({**spec, "partition": "aws", "storage": _named(spec)})
    validators = [v for v in validators_of(cluster) if v.phase == "spec"]
    assume(not [problem for v in validators for problem in v.problems(cluster)])
    found = everything(cluster)
    assert [e for each in found for e in validator.errors(each, "1.35")] == []
    assert validator.set_errors(found) == []


def test_kubectl_accepts_the_output(load: Load, programs: dict[str, Path], tmp_path: Path) -> None:
    """Kubernetes' own parser reads the YAML as it was rendered."""
    found = [m for m in everything(load(HYPERPOD)) if m["kind"] not in ("Secret",)]
    (tmp_path / "all.yaml").write_text(documents(found), encoding="utf-8")
    (tmp_path / "kustomization.yaml").write_text("resources: [all.yaml]\n", encoding="utf-8")
    answer = subprocess.run(
        [programs["kubectl"], "kustomize", tmp_path],
        check=True,
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path)},
    )
    import yaml

    read = [document for document in yaml.safe_load_all(answer.stdout) if document]

    def sort(objects: list[dict[str, Any]]) -> list[str]:
        return sorted(json.dumps(each, sort_keys=True) for each in objects)

    assert sort(read) == sort(found)
