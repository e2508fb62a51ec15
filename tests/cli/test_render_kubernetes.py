"""`clusterwright render kubernetes`: the full output, and its errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from syrupy.assertion import SnapshotAssertion

from clusterwright.cli import render_kubernetes
from clusterwright.platforms.kubernetes.render import PARTS
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.specs import DIGEST, EKS, HYPERPOD, KARPENTER, OUTPUTS
from tests.support.command_line import clusterwright
from tests.support.rich_specs import changed

ROOT = Path(__file__).parents[2]
RENDER = ("render", "kubernetes")


def outputs(folder: Path, environment: str) -> Path:
    """Output of `cdk deploy --outputs-file`."""
    path = folder / "outputs.json"
    path.write_text(
        json.dumps(
            {"else-cluster": {"LustreDnsName": "another"}, f"{environment}-cluster": OUTPUTS}
        )
    )
    return path


def written(folder: Path, spec: dict[str, Any]) -> Path:
    path = folder / "spec.yaml"
    path.write_text(json.dumps(spec, indent=1))
    return path


@pytest.mark.parametrize("environment", ["dev-eks", "dev-hyperpod-eks"])
def test_full_output(environment: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    answer = clusterwright(
        *RENDER, "--env", environment, "--outputs", outputs(tmp_path, environment), folder=ROOT
    )
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot
    found = [document for document in yaml.safe_load_all(answer.out) if document]
    assert [error for each in found for error in validator.errors(each, "1.35")] == []
    assert validator.set_errors(found) == []


@pytest.mark.parametrize("environment", ["dev-eks", "dev-hyperpod-eks"])
def test_full_values(environment: str, snapshot: SnapshotAssertion) -> None:
    answer = clusterwright(*RENDER, "--env", environment, "--part", "values", folder=ROOT)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot


@pytest.mark.parametrize("part", ["jobs", "delivery", "charts"])
def test_full_part(part: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    answer = clusterwright(*RENDER, written(tmp_path, EKS), "--part", part)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot


def test_elastic_jobs_and_node_pools_are_rendered(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    spec = written(tmp_path, HYPERPOD)
    for part in ("jobs", "autoscaling"):
        answer = clusterwright(*RENDER, spec, "--part", part)
        assert (answer.exit_code, answer.err) == (0, "")
        assert answer.out == snapshot(name=part)


def test_karpenter_classes_and_pools_are_rendered(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    spec, file = written(tmp_path, KARPENTER), outputs(tmp_path, "test")
    answer = clusterwright(*RENDER, spec, "--part", "autoscaling", "--outputs", file)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("KarpenterSubnetIds", None, "of Karpenter are unknown: KarpenterSubnetIds"),
        ("KarpenterSubnetIds", "subnet-1; rm", "not subnet ids, separated by commas"),
        ("KarpenterSecurityGroupIds", "", "not security group ids"),
        ("KarpenterKeyArn", "alias/key", "not the ARN of a KMS key"),
        ("KarpenterInstanceProfile", "a b", "not an instance profile name"),
        ("KarpenterPlacementGroups", "{}", "not a JSON object of placement groups"),
        ("KarpenterPlacementGroups", '{"workers":"a"', "not a JSON object of placement groups"),
        ("KarpenterPlacementGroups", '{"workers":"a"}', "KarpenterPlacementGroups of reserved"),
    ],
)
def test_outputs_that_are_none_are_refused(
    key: str, value: str | None, words: str, tmp_path: Path
) -> None:
    given = {name: text for name, text in OUTPUTS.items() if name != key}
    if value is not None:
        given[key] = value
    path = tmp_path / "outputs.json"
    path.write_text(json.dumps({"test-karpenter": given}))
    spec = written(tmp_path, KARPENTER)
    answer = clusterwright(*RENDER, spec, "--part", "autoscaling", "--outputs", path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert words in answer.err


def test_part_option_lists_the_parts_of_the_renderer() -> None:
    assert render_kubernetes.PARTS == PARTS


def test_json_has_the_same_objects(tmp_path: Path) -> None:
    spec, file = written(tmp_path, EKS), outputs(tmp_path, "test")
    text = clusterwright(*RENDER, spec, "--outputs", file).out
    answer = json.loads(clusterwright(*RENDER, spec, "--outputs", file, "--format", "json").out)
    assert {k: answer[k] for k in ("schema_version", "command", "exit_code")} == {
        "schema_version": 1,
        "command": "render kubernetes",
        "exit_code": 0,
    }
    assert answer["manifests"] == [d for d in yaml.safe_load_all(text) if d]
    values = json.loads(clusterwright(*RENDER, spec, "--part", "values", "--format", "json").out)
    assert set(values["values"]) == {
        "nvidia-device-plugin",
        "neuron-helm-chart",
        "aws-efa-k8s-device-plugin",
        "kueue",
    }


def test_values_of_one_chart_are_valid_for_helm(tmp_path: Path) -> None:
    spec = written(tmp_path, EKS)
    words = (*RENDER, spec, "--part", "values")
    whole = yaml.safe_load(clusterwright(*words).out)["values"]
    answer = clusterwright(*words, "--chart", "nvidia-device-plugin")
    assert (answer.exit_code, answer.err) == (0, "")
    assert yaml.safe_load(answer.out) == whole["nvidia-device-plugin"]
    data = json.loads(clusterwright(*words, "--chart", "kueue", "--format", "json").out)
    assert data["values"] == {"kueue": whole["kueue"]}
    other = clusterwright(*words, "--chart", "hyperpod-helm-chart")
    assert other.exit_code == 3
    assert "charts that it needs: nvidia-device-plugin" in other.err
    lonely = clusterwright(*RENDER, spec, "--chart", "kueue")
    assert lonely.exit_code == 3
    assert "add --part values" in lonely.err


def test_jobs_and_delivery_are_printed_only_on_request(tmp_path: Path) -> None:
    answer = clusterwright(*RENDER, written(tmp_path, EKS), "--outputs", outputs(tmp_path, "test"))
    kinds = {d["kind"] for d in yaml.safe_load_all(answer.out) if d}
    assert not kinds & {"PyTorchJob", "MPIJob", "Application", "Secret"}


def test_file_system_without_an_address_is_reported(tmp_path: Path) -> None:
    answer = clusterwright(*RENDER, written(tmp_path, EKS))
    assert answer.exit_code == 3
    assert "no output LustreDnsName and no LustreMountName" in answer.err
    assert "--outputs" in answer.err
    assert answer.out == ""
    assert clusterwright(*RENDER, written(tmp_path, EKS), "--part", "tenants").exit_code == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("[]", "is not an object with the outputs of each stack"),
        ("null", "is not an object with the outputs of each stack"),
        ('{"else-cluster": {"LustreDnsName": "a"}}', "has no outputs of test"),
        ('{"test-cluster": []}', "test-cluster is not an object of outputs"),
        ('{"test-cluster": {}}', "has no outputs of test"),
        (None, "does not exist"),
    ],
)
def test_missing_outputs_are_refused(tmp_path: Path, text: str | None, words: str) -> None:
    file = tmp_path / "outputs.json"
    if text is not None:
        file.write_text(text)
    answer = clusterwright(*RENDER, written(tmp_path, EKS), "--outputs", file)
    assert answer.exit_code == 3
    assert words in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("other", ["test-eu-storage", "test-storage-2", "testing-storage"])
def test_outputs_of_a_similarly_named_environment_are_ignored(tmp_path: Path, other: str) -> None:
    file = tmp_path / "outputs.json"
    theirs = {**OUTPUTS, "LustreDnsName": "fs-0fedcba9876543210.fsx.us-east-1.amazonaws.com"}
    file.write_text(json.dumps({"test-storage": OUTPUTS, other: theirs}))
    text = clusterwright(*RENDER, written(tmp_path, EKS), "--outputs", file).out
    assert OUTPUTS["LustreDnsName"] in text
    assert theirs["LustreDnsName"] not in text


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("LustreMountName", None, "LustreMountName of test-cluster is None, not a string"),
        ("LustreMountName", "", "not a mount name of at most 8"),
        ("LustreMountName", "abcdefgh\n", "not a mount name of at most 8"),
        ("LustreDnsName", "fs-1 x", "not a file system DNS name"),
        ("VpcId", 5, "VpcId of test-cluster is 5, not a string"),
    ],
)
def test_outputs_without_mount_addresses_are_refused(
    key: str, value: Any, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "outputs.json"
    file.write_text(json.dumps({"test-cluster": {**OUTPUTS, key: value}}))
    answer = clusterwright(*RENDER, written(tmp_path, EKS), "--outputs", file)
    assert (answer.exit_code, answer.out) == (3, "")
    assert words in answer.err


@pytest.mark.parametrize(
    ("config", "hint"),
    [
        ("configs/dev.yaml", "hint: platform: hyperpod-eks or eks\n"),
        ("configs/dev-parallelcluster.yaml", "eks, or `clusterwright render parallelcluster`\n"),
    ],
)
def test_hint_for_a_platform_without_kubernetes_is_valid(config: str, hint: str) -> None:
    answer = clusterwright(*RENDER, config, folder=ROOT)
    assert answer.exit_code == 3
    assert answer.err.endswith(hint)


def test_unknown_charts_are_refused(tmp_path: Path) -> None:
    spec = written(tmp_path, changed(EKS, kubernetes__workloads__charts=[]))
    answer = clusterwright(*RENDER, spec, "--part", "charts")
    assert answer.exit_code == 3
    assert "neuron-helm-chart (sha256)" in answer.err
    assert "kubernetes.workloads.charts" in answer.err


def test_unsourced_interfaces_are_refused(tmp_path: Path) -> None:
    spec = changed(EKS, compute__1__instance_type="p6e-gb200.36xlarge")
    answer = clusterwright(*RENDER, written(tmp_path, spec), "--part", "jobs")
    assert answer.exit_code == 3
    assert "EFA interfaces of p6e-gb200.36xlarge are unknown" in answer.err


def test_platform_without_kubernetes_is_refused() -> None:
    answer = clusterwright(*RENDER, "--env", "dev", folder=ROOT)
    assert answer.exit_code == 3
    assert "hyperpod-slurm does not use Kubernetes" in answer.err


def test_a_wrong_spec_in_json(tmp_path: Path) -> None:
    spec = written(tmp_path, changed(EKS, tenants__0__groups=["nobody"]))
    answer = clusterwright(*RENDER, spec, "--format", "json")
    assert answer.exit_code == 3
    problems = json.loads(answer.out)["problems"]
    assert [p["path"] for p in problems] == ["tenants[0].groups[0]"]


@pytest.mark.parametrize("environment", ["dev-eks", "dev-hyperpod-eks"])
def test_operators_are_listed_and_unknown_ones_counted(
    environment: str, snapshot: SnapshotAssertion
) -> None:
    answer = clusterwright(*RENDER, "--env", environment, "--part", "operators", folder=ROOT)
    assert answer.exit_code == 2
    assert answer.out == snapshot
    rows = yaml.safe_load(answer.out)
    lacking = [row["name"] for row in rows["operators"] if "missing" in row]
    assert rows["unknown"] == len(lacking)
    assert f"{len(lacking)} of {len(rows['operators'])} have an unknown value" in answer.err
    found = json.loads(
        clusterwright(
            *RENDER, "--env", environment, "--part", "operators", "--format", "json", folder=ROOT
        ).out
    )
    assert (found["operators"], found["exit_code"]) == (rows["operators"], 2)


def test_operators_without_unknown_values(tmp_path: Path) -> None:
    charts = [{"name": name, "sha256": DIGEST} for name in ("hyperpod-helm-chart", "kueue")]
    spec = changed(HYPERPOD, kubernetes__workloads__charts=charts)
    answer = clusterwright(*RENDER, written(tmp_path, spec), "--part", "operators")
    assert (answer.exit_code, answer.err) == (0, "")
    assert "unknown: 0" in answer.out
