"""The offline rules stop a synthesis, with findings attached to the resources."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from clusterwright.cluster_spec import LoadedSpec, SpecErrors
from clusterwright.cluster_spec.models import Cluster
from tests.support import specs

TODAY = dt.date(2026, 11, 20)
STEP = {"efa": False, "throughput_mbps_per_tib": 125, "capacity_gib": 4900}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[LoadedSpec, Any, Path]:
    """A spec with an invalid size of the second file system, and the app of its stacks."""
    os.environ["CDK_VALIDATION"] = "false"
    import stacks

    folder = tmp_path_factory.mktemp("plugin")
    fine = {**specs.LUSTRE, "mount_path": "/fsx", "name": "fsx"}
    wrong = {**specs.LUSTRE, **STEP, "mount_path": "/data", "name": "data"}
    spec = specs.load(
        folder,
        {
            "storage.lustre": [fine, wrong],
            "storage.home": {"kind": "openzfs", "capacity_gib": 64},
            "slurm.containers.pyxis": True,
            "slurm.accounting": {"kind": "rds"},
            "budget": {"monthly_usd": 1000, "alert_emails": ["a@acme.example"]},
        },
    )
    app = stacks.open_app(folder / "cdk.out", builtin_cloud_formation_validation=False)
    stacks.build(app, spec)
    return spec, app, folder / "cdk.out"


def test_synthesis_fails_with_the_finding_on_its_resource(
    built: tuple[LoadedSpec, Any, Path],
) -> None:
    from clusterwright.preflight import cdk_plugin

    spec, app, output = built
    cdk_plugin.add(app, spec)
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()
    report = json.loads((output / "validation-report.json").read_text())
    (own,) = [r for r in report["pluginReports"] if r["pluginName"] == "clusterwright"]
    assert own["conclusion"] == "failure"
    found = {violation["ruleName"]: violation for violation in own["violations"]}
    assert set(found) == {"CW-S001", "CW-L002", "CW-L010", "CW-I001", "CW-B001"}
    step = found["CW-S001"]
    assert step["severity"] == "error"
    assert step["description"].startswith(
        "PERSISTENT_2 SSD must be 1,200 and 2,400, then a multiple"
    )
    assert f"{spec.file}:" in step["description"]
    assert step["suggestedFix"] == "capacity_gib: 4,800 or 7,200"
    (construct,) = step["violatingConstructs"]
    assert construct["constructPath"] == "test-storage/Lustre-data/FileSystem"
    (construct,) = found["CW-B001"]["violatingConstructs"]
    assert construct["constructPath"] == "test-observability/Budget"
    # Informative findings are shown only by the command, not at every deployment.
    assert "CW-B003" not in found


def test_every_finding_has_a_resource_of_its_kind(built: tuple[LoadedSpec, Any, Path]) -> None:
    from clusterwright.preflight.cdk_plugin import Resources

    _, _, output = built
    templates = sorted(str(path) for path in output.glob("*.template.json"))
    resources = Resources(templates)
    kinds = {}
    for path in templates:
        for logical_id, resource in json.loads(Path(path).read_text())["Resources"].items():
            kinds[logical_id, path] = resource
    for path, kind in (
        ("compute[1].count", "AWS::SageMaker::Cluster"),
        ("network.cidr", "AWS::EC2::Subnet"),
        ("budget.monthly_usd", "AWS::Budgets::Budget"),
        ("slurm.accounting.kind", "AWS::RDS::DBInstance"),
        ("slurm.containers.pyxis", "AWS::SageMaker::Cluster"),
        ("identity", "AWS::KMS::Key"),
        ("storage.home.capacity_gib", "AWS::FSx::FileSystem"),
        ("storage.checkpoint_path", "AWS::SageMaker::Cluster"),
        ("waivers[0].expires", "AWS::SageMaker::Cluster"),
        ("networks", "AWS::SageMaker::Cluster"),
    ):
        found = resources.of(path)
        assert found is not None
        assert kinds[found]["Type"] == kind, path
    for index, capacity_gib in enumerate((4800, 4900)):
        found = resources.of(f"storage.lustre[{index}].capacity_gib")
        assert found is not None
        assert kinds[found]["Properties"]["StorageCapacity"] == capacity_gib
    assert resources.of("storage.lustre[9]") == resources.of("storage.lustre[1]")


def _paths(model: type[BaseModel], before: str = "") -> Iterator[str]:
    """Every path of the spec, in lists at their second item."""
    for name, field in model.model_fields.items():
        here = f"{before}{field.alias or name}"
        yield here
        for inner in _models(field.annotation):
            yield from _paths(inner, f"{here}.")
            yield from _paths(inner, f"{here}[1].")


def _of_logical_ids(data: Any) -> Iterator[dict[str, Any]]:
    """The CDK's metadata about logical ids of constructs, wherever it is."""
    if isinstance(data, dict):
        if data.get("type") == "aws:cdk:logicalId":
            yield data
        for value in data.values():
            yield from _of_logical_ids(value)
    elif isinstance(data, list):
        for value in data:
            yield from _of_logical_ids(value)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def test_every_spec_path_has_a_resource_with_a_construct(
    built: tuple[LoadedSpec, Any, Path],
) -> None:
    """The CDK does not print a violation without a construct."""
    from clusterwright.preflight.cdk_plugin import Resources

    _, _, output = built
    templates = sorted(str(path) for path in output.glob("*.template.json"))
    resources = Resources(templates)
    named = {
        entry["data"]
        for file in output.glob("*.json")
        for entry in _of_logical_ids(json.loads(file.read_text()))
    }
    places = list(_paths(Cluster))
    assert len(places) > 300
    for place in places:
        found = resources.of(place)
        assert found is not None, place
        assert found[0] in named, place


@pytest.mark.parametrize(
    ("kinds", "path", "wanted"),
    [
        (["AWS::S3::Bucket", "AWS::EKS::Cluster"], "compute[3].count", "AWS::EKS::Cluster"),
        (["AWS::S3::Bucket", "AWS::EKS::Cluster"], "kubernetes.version", "AWS::EKS::Cluster"),
        (["AWS::EKS::Cluster", "AWS::SageMaker::Cluster"], "image", "AWS::SageMaker::Cluster"),
        (["AWS::S3::Bucket", "Custom::PclusterCluster"], "slurm", "Custom::PclusterCluster"),
        (["AWS::S3::Bucket"], "compute[0]", "AWS::S3::Bucket"),
    ],
)
def test_each_platform_has_its_own_cluster(
    tmp_path: Path, kinds: list[str], path: str, wanted: str
) -> None:
    from clusterwright.preflight.cdk_plugin import Resources

    template = tmp_path / "t.template.json"
    made = {f"R{index}": {"Type": kind} for index, kind in enumerate(kinds)}
    template.write_text(json.dumps({"Resources": made}))
    found = Resources([str(template)]).of(path)
    assert found is not None
    assert made[found[0]]["Type"] == wanted


@given(st.text(alphabet="abelrst.[]01_", max_size=30))
def test_every_path_has_a_resource(path: str) -> None:
    from clusterwright.preflight.cdk_plugin import Resources

    with TemporaryDirectory() as folder:
        template = Path(folder) / "t.template.json"
        template.write_text('{"Resources": {"A": {"Type": "AWS::FSx::FileSystem", "Properties": '
                            '{"FileSystemType": "LUSTRE"}}}}')  # fmt: skip
        assert Resources([str(template)]).of(path) is not None


def test_without_templates_there_is_no_resource() -> None:
    from clusterwright.preflight.cdk_plugin import Resources

    assert Resources([]).of("compute") is None


def test_plugin_runs_only_offline_rules_and_lists_them(tmp_path: Path) -> None:
    from clusterwright.preflight.cdk_plugin import OfflineChecks

    plugin = OfflineChecks(specs.load(tmp_path), today=TODAY)
    assert plugin.name == "clusterwright"
    assert "CW-N003" in plugin.rule_ids
    assert "CW-Q001" not in plugin.rule_ids
    assert {r.status for r in plugin.check().rules if r.account} == {"skipped"}


def test_a_clean_spec_succeeds(tmp_path: Path) -> None:
    from clusterwright.preflight.cdk_plugin import OfflineChecks

    report = OfflineChecks(specs.load(tmp_path), today=TODAY).validate(_Templates())
    assert report.success is True
    assert list(report.violations) == []


def test_a_waived_finding_does_not_block(tmp_path: Path) -> None:
    from clusterwright.preflight.cdk_plugin import OfflineChecks

    waiver = {
        "rule": "CW-S001", "expires": "2027-01-31", "reason": "the file system is being replaced"
    }  # fmt: skip
    changes = {"storage.lustre": [{**specs.LUSTRE, **STEP}]}
    blocked = OfflineChecks(specs.load(tmp_path, changes), today=TODAY).validate(_Templates())
    assert blocked.success is False
    waived = specs.load(tmp_path, {**changes, "waivers": [waiver]})
    assert OfflineChecks(waived, today=TODAY).validate(_Templates()).success is True


def test_user_prices_are_used(tmp_path: Path) -> None:
    from clusterwright.preflight.cdk_plugin import OfflineChecks

    entry = {
        "instance_type": "p5.48xlarge", "kind": "hyperpod-on-demand", "region": "us-east-1",
        "usd": 1, "unit": "instance-hour", "source": "contract", "date": "2026-11-01",
    }  # fmt: skip
    spec = specs.load(tmp_path, {"budget.monthly_usd": 10_000})
    assert OfflineChecks(spec, today=TODAY).validate(_Templates()).success is False
    (tmp_path / "prices.yaml").write_text(json.dumps({"rates": [entry]}))
    assert OfflineChecks(spec, today=TODAY).validate(_Templates()).success is True
    (tmp_path / "prices.yaml").write_text("rates: 1\n")
    with pytest.raises(SpecErrors, match="must be a list of rates"):
        OfflineChecks(spec, today=TODAY).validate(_Templates())


def test_exception_is_not_a_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from clusterwright.platforms import network
    from clusterwright.preflight import context
    from clusterwright.preflight.cdk_plugin import OfflineChecks

    def broken(*_: object) -> network.NetworkPlan:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(context, "plan_network", broken)
    with pytest.raises(RuntimeError, match="internal error in clusterwright"):
        OfflineChecks(specs.load(tmp_path), today=TODAY).validate(_Templates())


def test_rules_can_be_disabled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from clusterwright.preflight import cdk_plugin

    monkeypatch.setenv("CLUSTERWRIGHT_CHECKS", "false")
    cdk_plugin.add(None, specs.load(tmp_path))  # type: ignore[arg-type] # an app is not touched


class _Templates:
    """A context without templates."""

    template_paths: tuple[str, ...] = ()
