"""Failures that the validation of the spec reports: exit 3, each error with its position."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec.problems import path_text
from tests.field_failures.parts import accepted, refused, spec_file
from tests.support import rich_specs, specs
from tests.support.command_line import clusterwright

ROOT = Path(__file__).resolve().parents[2]


def test_awsome_484_all_errors_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    mistakes = {
        "network.egres": "nat",
        "compute.0.count": "one",
        "compute.1.instance_type": "p5.48large",
        "slurm.partitions": [{"name": "training", "groups": ["worker"]}],
    }
    said = refused(tmp_path, mistakes)
    path = tmp_path / "spec.yaml"
    for line, message in (
        (9, "network: unknown key `egres`"),
        (16, "compute[0].count: expected an integer, got a string"),
        (21, "compute[1].instance_type: unknown instance type p5.48large"),
        (30, "slurm.partitions[0].groups[0]: group `worker` does not exist"),
    ):
        assert f"error: {message}\n  {path}:{line}:" in said
    for hint in ("egress", "p5.48xlarge", "workers"):
        assert f"did you mean {hint}" in said.replace("`", "")
    # Each mistake alone is found: none hides another.
    for key, value in mistakes.items():
        assert refused(tmp_path, {key: value}).count("error: ") <= 2
    accepted(tmp_path)


@pytest.mark.parametrize("text", ["", "null", "''", "[]", "{}"])
def test_awsome_234_partition_of_an_unknown_group_is_refused(tmp_path: Path, text: str) -> None:
    """The reported file lacked the partition's name; here any value may be missing."""
    # Except the range of addresses, for which an empty value means the default.
    spec = spec_file(tmp_path, {"network.cidr": None})
    whole = spec.read_text(encoding="utf-8")
    places = list(re.finditer(r'": ("[^"]+"|\d+)', whole))
    assert len(places) > 10
    for place in places:
        start, end = place.span(1)
        spec.write_text(whole[:start] + text + whole[end:], encoding="utf-8")
        answer = clusterwright("check", spec, "--offline")
        assert (answer.exit_code, answer.out) == (3, ""), whole[place.start() - 30 : end]
    said = refused(tmp_path, {"slurm.partitions": [{"name": "t", "groups": ["worker-group"]}]})
    assert "group `worker-group` does not exist" in said
    said = refused(tmp_path, {"slurm.partitions": [{"name": None, "groups": ["workers"]}]})
    assert "slurm.partitions[0]: `name` is missing" in said


def test_parallelcluster_6923_too_many_groups_are_refused(tmp_path: Path) -> None:
    def groups(count: int) -> dict[str, Any]:
        worker = specs.SMALL["compute"][1]
        workers = [{**worker, "name": f"g{number}", "count": 1} for number in range(count)]
        return {"compute": [specs.SMALL["compute"][0], *workers]}

    assert "compute: must have at most 100 entries, got 101" in refused(tmp_path, groups(100))
    accepted(tmp_path, groups(99))


def test_found_several_controllers_are_refused(tmp_path: Path) -> None:
    said = refused(tmp_path, {"compute.0.count": 2})
    assert "count is 2: multiple controllers are not supported" in said
    second = {**specs.SMALL["compute"][0], "name": "second"}
    assert "only one group can have the role controller" in refused(
        tmp_path, {"compute.2": second}
    )


@pytest.mark.parametrize("role", ["login", "controller"])
def test_found_login_nodes_in_a_partition_are_refused(tmp_path: Path, role: str) -> None:
    login = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
    partition = [{"name": "dev", "groups": ["workers", role]}]
    said = refused(tmp_path, {"compute.2": login, "slurm.partitions": partition})
    assert f"`{role}` is not a compute group" in said
    # Without partitions in the spec, the default partition has only compute groups.
    expanded = clusterwright(
        "expand", spec_file(tmp_path, {"compute.2": login}), "--format", "json"
    )
    assert json.loads(expanded.out)["slurm"]["partitions"] == [
        {"name": "training", "groups": ["workers"]}
    ]


def test_found_repositories_are_refused_where_unsupported(tmp_path: Path) -> None:
    repository = {"s3": "s3://acme-corpus", "path": "/data"}
    scratch = {"mount_path": "/fsx", "capacity_gib": 1200, "repositories": [repository]}

    def lustre(**changes: Any) -> dict[str, Any]:
        return {"storage.lustre": [{**scratch, **changes}]}

    said = refused(tmp_path, lustre(deployment_type="SCRATCH_1"))
    assert "SCRATCH_1 does not support repositories" in said
    said = refused(
        tmp_path,
        lustre(storage_type="INTELLIGENT_TIERING", capacity_gib=None, throughput_mbps=4000),
    )
    assert "repositories" in said
    directory = {"s3": "s3://acme--use1-az6--x-s3", "path": "/data"}
    said = refused(tmp_path, lustre(deployment_type="SCRATCH_2", repositories=[directory]))
    assert "FSx for Lustre does not support directory buckets as data repositories" in said
    accepted(tmp_path, lustre(deployment_type="SCRATCH_2"))


def test_found_enumerated_fields_refuse_other_values(tmp_path: Path) -> None:
    """The reported field is the interface type; here every field of the schema with an enum."""
    said = refused(tmp_path, {"compute.1.network_interface": "efaonly"})
    assert "'efaonly' is not one of efa, efa-only" in said
    assert "did you mean `efa-only`?" in said

    schema = json.loads((ROOT / "schema" / "cluster.schema.json").read_text(encoding="utf-8"))
    wanted = dict(_enums(schema, schema, ()))
    tried = set()
    platforms = (
        rich_specs.ON_EKS,
        rich_specs.ON_PLAIN_EKS,
        rich_specs.ON_PARALLELCLUSTER,
        rich_specs.with_value(rich_specs.PCS, ("pcs", "size"), "MEDIUM"),
    )
    for spec in platforms:
        right = clusterwright("expand", specs.write(tmp_path / "spec.yaml", spec))
        assert right.exit_code == 0, right.err
    bases = (rich_specs.BUILT, rich_specs.SCRIPTED, rich_specs.AT_ONCE, *platforms)
    for base, path in [(spec, path) for spec in bases for path in rich_specs.paths(spec)]:
        pattern = tuple("[]" if isinstance(part, int) else part for part in path)
        if pattern not in wanted or pattern in tried:
            continue
        tried.add(pattern)
        wrong = rich_specs.with_value(base, path, "nonsense")
        answer = clusterwright("check", specs.write(tmp_path / "spec.yaml", wrong), "--offline")
        assert (answer.exit_code, answer.out) == (3, ""), path
        named = ", ".join(str(value) for value in wanted[pattern] if value is not None)
        assert f"{path_text(path)}: 'nonsense' is not one of {named}" in answer.err, path
    assert set(wanted) == tried
    assert len(tried) > 20


def _enums(
    schema: dict[str, Any], node: dict[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Every path of the schema with an enumeration; capacity is a union of models."""
    if "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    if "enum" in node and "const" not in node:
        yield path, node["enum"]
    for name, child in node.get("properties", {}).items():
        yield from _enums(schema, child, (*path, name))
    if isinstance(node.get("items"), dict):
        yield from _enums(schema, node["items"], (*path, "[]"))
    for choice in (*node.get("anyOf", ()), *node.get("allOf", ())):
        yield from _enums(schema, choice, path)


def test_parallelcluster_7412_bucket_mount_is_read_only_and_no_checkpoint_target(
    tmp_path: Path,
) -> None:
    bucket = {"name": "acme-data", "mount_path": "/s3/data"}
    mounted = {"storage.lustre": [specs.LUSTRE], "storage.buckets": [bucket]}
    accepted(tmp_path, mounted)
    for path in ("/s3/data", "/s3/data/checkpoints", "/s3/data/a/b"):
        said = refused(tmp_path, {**mounted, "storage.checkpoint_path": path})
        assert f"{path} is on the bucket mount /s3/data: it is read-only" in said
        assert "save checkpoints on Lustre and export them to the bucket with a repository" in said
    accepted(tmp_path, {**mounted, "storage.checkpoint_path": "/fsx/checkpoints"})


def test_eks_module_831_reserved_node_labels_are_refused(tmp_path: Path) -> None:
    """kubelet refuses labels of Kubernetes' own domains, and the node never joins."""

    def labelled(key: str) -> dict[str, Any]:
        worker = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 2}
        group = {**worker, "labels": {key: "normal"}}
        return {"platform": "hyperpod-eks", "slurm": None, "compute": [group]}

    for key in ("kubernetes.io/lifecycle", "node-role.kubernetes.io/worker", "k8s.io/team"):
        assert "are reserved" in refused(tmp_path, labelled(key))
    accepted(tmp_path, labelled("team.example.com/lifecycle"))
