"""cdk-nag, the CDK's own validation and cfn-lint pass on every config, without one finding."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stacks
from clusterwright.platforms.loading import load_cluster
from stacks.base.outdated_validators import MISSING_IN_CFN_LINT
from tests.support.rich_specs import (
    EKS,
    EKS_KARPENTER,
    EKS_MINIMAL,
    FULL,
    HYPERPOD_EKS,
    HYPERPOD_EKS_MINIMAL,
    MINIMAL,
    PARALLELCLUSTER,
    PARALLELCLUSTER_MINIMAL,
    changed,
)
from tests.support.synthesis import ROOT, Assembly, Build

CONFIGS = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "configs").rglob("*.yaml")
    if path.name != "base.yaml" and path.parent.name != "users"
)

EXISTING_NETWORK = changed(
    FULL,
    network={
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-0a1b2c3d4e5f60718",
            "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
            "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
            "database_subnet_ids": ["subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"],
        },
    },
)

VARIANTS: dict[str, dict[str, Any]] = {
    "full": FULL,
    "minimal": MINIMAL,
    "destroy": changed(FULL, protection="destroy"),
    "nat": changed(FULL, network__egress="nat"),
    "existing network": EXISTING_NETWORK,
    "one zone for the database": changed(FULL, slurm__accounting__multi_az=False),
    # Everything that the controller's rights differ by: whose network, whose reservations.
    "karpenter in a network that exists": changed(
        EKS_KARPENTER,
        network={
            "availability_zone_id": "use1-az6",
            "existing": {
                "vpc_id": "vpc-0a1b2c3d4e5f60718",
                "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
                "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
                "control_plane_subnet_ids": [
                    "subnet-0a1b2c3d4e5f60719",
                    "subnet-0a1b2c3d4e5f6071a",
                ],
            },
        },
    ),
    "hyperpod eks": HYPERPOD_EKS,
    "hyperpod eks that serves models": changed(
        HYPERPOD_EKS, network__egress="nat", hyperpod__inference={"gated_models": True}
    ),
    "hyperpod eks with nothing of its own": HYPERPOD_EKS_MINIMAL,
    "parallelcluster": PARALLELCLUSTER,
    "parallelcluster with nothing of its own": PARALLELCLUSTER_MINIMAL,
    "parallelcluster with protection destroy": changed(PARALLELCLUSTER, protection="destroy"),
    "eks": EKS,
    "eks with nothing of its own": EKS_MINIMAL,
    "image release": changed(FULL, image={"release_version": "1.2.3"}),
}


def findings(spec: Path, directory: Path) -> list[str]:
    """What cdk-nag and the CDK's validation say about a spec."""
    app = stacks.open_app(directory)
    stacks.build(app, load_cluster(spec))
    stacks.add_policies(app)
    # What is wrong is in the report; the error says no more than that there is something.
    with contextlib.suppress(RuntimeError):
        app.synth()
    report = json.loads((directory / "validation-report.json").read_text(encoding="utf-8"))
    return [
        f"{plugin['pluginName']}: {violation['ruleName']}: {violation['description'][:200]}"
        for plugin in report["pluginReports"]
        for violation in plugin["violations"]
    ]


PROCESSES = 2


def lint(paths: list[Path], region: str) -> list[str]:
    """What cfn-lint says, warnings and errors; several processes share the work."""
    chunks = [paths[index::PROCESSES] for index in range(PROCESSES)]
    running = [
        subprocess.Popen(
            ["cfn-lint", "--regions", region, "--format", "json", "--template", *map(str, chunk)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for chunk in chunks
        if chunk
    ]
    return [
        f"{match['Rule']['Id']} {Path(match['Filename']).name}: {match['Message'][:200]}"
        for process in running
        for match in json.loads(process.communicate()[0])
    ]


def distinct_templates(assemblies: dict[str, Assembly]) -> Iterator[tuple[str, Path]]:
    """Region and path of templates that differ in more than names and counts."""
    seen: set[str] = set()
    for config, assembly in assemblies.items():
        cluster = load_cluster(ROOT / config).cluster
        for path in sorted(assembly.directory.glob("*.template.json")):
            text = path.read_text(encoding="utf-8")
            text = text.replace(cluster.account, "ACCOUNT")
            text = re.sub(rf"\b{re.escape(cluster.environment)}\b", "ENVIRONMENT", text)
            text = re.sub(r"\b[0-9a-f]{8,64}\b", "DIGEST", text)
            text = re.sub(r'"InstanceCount": \d+', '"InstanceCount": N', text)
            if text not in seen:
                seen.add(text)
                yield cluster.region, path


@pytest.mark.parametrize("config", CONFIGS)
def test_no_finding_in_any_config(config: str, tmp_path: Path) -> None:
    assert findings(ROOT / config, tmp_path) == []


@pytest.mark.parametrize("name", VARIANTS)
def test_no_finding_in_any_variant(name: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(VARIANTS[name]), encoding="utf-8")
    assert findings(path, tmp_path / "out") == []


def test_policy_checks_find_violations(tmp_path: Path) -> None:
    """The tests above would be green too if nothing were checked."""
    import aws_cdk as cdk
    from aws_cdk import aws_fsx as fsx
    from aws_cdk import aws_s3 as s3

    app = stacks.open_app(tmp_path)
    stack = cdk.Stack(app, "bad")
    s3.Bucket(stack, "Bucket")
    lustre = fsx.CfnFileSystem(
        stack, "Lustre", file_system_type="LUSTRE", subnet_ids=["subnet-0123456789abcdef0"]
    )
    lustre.add_property_override("Nope", 1)
    stacks.add_policies(app)
    with pytest.raises(SystemExit) as raised:
        stacks.write(app)
    assert raised.value.code == 1
    report = (tmp_path / "validation-report.json").read_text(encoding="utf-8")
    assert "AwsSolutions-S1" in report
    assert "Nope" in report


def test_cdk_nag_can_be_disabled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import aws_cdk as cdk
    from aws_cdk import aws_s3 as s3

    monkeypatch.setenv("CLUSTERWRIGHT_NAG", "false")
    app = stacks.open_app(tmp_path, builtin_cloud_formation_validation=False)
    s3.Bucket(cdk.Stack(app, "bad"), "Bucket")
    stacks.add_policies(app)
    app.synth()


def test_every_acknowledgement_has_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import aws_cdk as cdk

    said: list[tuple[str, str]] = []
    original = cdk.Acknowledgment

    def record(*, id: str, reason: str) -> Any:  # noqa: A002 - the CDK's name
        said.append((id, reason))
        return original(id=id, reason=reason)

    monkeypatch.setattr(cdk, "Acknowledgment", record)
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(changed(FULL, protection="destroy")), encoding="utf-8")
    app = stacks.open_app(tmp_path / "out", builtin_cloud_formation_validation=False)
    stacks.build(app, load_cluster(path))
    assert len(said) > 10
    for rule, reason in said:
        assert len(reason.split()) >= 5, rule
        # A bare rule covers whatever comes later; of IAM5 each wildcard is accepted by itself.
        assert not rule.endswith("IAM5"), rule


@pytest.mark.slow
def test_cfn_lint_passes_on_every_template_of_every_config(synth: Any) -> None:
    by_region: dict[str, list[Path]] = {}
    for region, path in distinct_templates({config: synth(config) for config in CONFIGS}):
        by_region.setdefault(region, []).append(path)
    assert sum(map(len, by_region.values())) > len(CONFIGS)
    found = [line for region, paths in by_region.items() for line in lint(paths, region)]
    assert found == []


@pytest.mark.parametrize("spec", [FULL, HYPERPOD_EKS], ids=["slurm", "eks"])
def test_cfn_lint_passes_on_a_spec_with_every_feature(spec: dict[str, Any], build: Build) -> None:
    directory = build(changed(spec, protection="destroy")).directory
    assert lint(sorted(directory.glob("*.template.json")), "us-east-1") == []


def test_cfn_lint_reports_only_missing_types(synth: Any, tmp_path: Path) -> None:
    template = synth("configs/examples/p6e-gb200-1.yaml").templates["p6e-gb200-1-cluster"]
    path = tmp_path / "unmuted.template.json"
    resources = {
        name: {key: value for key, value in resource.items() if key != "Metadata"}
        for name, resource in template["Resources"].items()
    }
    path.write_text(json.dumps({**template, "Resources": resources}), encoding="utf-8")
    (found,) = lint([path], "us-east-1")
    assert found.startswith("E3644 ")
    assert "ml.p6e-gb200.36xlarge" in found
    assert "p6e-gb200.36xlarge" in MISSING_IN_CFN_LINT


def test_cfn_lint_finds_violations(build: Build, tmp_path: Path) -> None:
    template = json.loads(json.dumps(build(MINIMAL).templates["test-cluster"]))
    template["Resources"]["Cluster"]["Properties"]["NodeRecovery"] = "Sometimes"
    path = tmp_path / "bad.template.json"
    path.write_text(json.dumps(template), encoding="utf-8")
    assert any("Sometimes" in line for line in lint([path], "us-east-1"))
