"""Failures that the templates exclude: contents, order, and ownership of resources."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import aws_sagemaker

from clusterwright.catalog import load_catalog
from clusterwright.job_templates.cluster_files import cluster_files, without_counts
from tests.field_failures.conftest import MakeNode
from tests.support import rich_specs, specs
from tests.support.synthesis import Assembly, Build

ROOT = Path(__file__).resolve().parents[2]
LIFECYCLE = ROOT / "lifecycle_scripts"
RICH = rich_specs.BUILT


def small(**changes: Any) -> dict[str, Any]:
    """The small spec with values at dotted paths (`slurm__accounting={...}`)."""
    return specs.changed({path.replace("__", "."): value for path, value in changes.items()})


def cluster_of(assembly: Assembly) -> dict[str, Any]:
    (resource,) = assembly.resources("AWS::SageMaker::Cluster").values()
    properties: dict[str, Any] = resource["Properties"]
    return properties


def groups_of(assembly: Assembly) -> dict[str, dict[str, Any]]:
    return {group["InstanceGroupName"]: group for group in cluster_of(assembly)["InstanceGroups"]}


def strings(value: Any) -> Iterator[str]:
    """Every string of a template, except keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from strings(child)
    elif isinstance(value, list):
        for child in value:
            yield from strings(child)


def files_of_nodes(assembly: Assembly) -> dict[str, Any]:
    """The JSON files that the assembly uploads beside the scripts."""
    return {
        path.name: json.loads(path.read_text(encoding="utf-8").replace("<<marker", "marker"))
        for path in assembly.directory.glob("asset.*/*.json")
    }


def before(assembly: Assembly, stack: str) -> set[str]:
    """Every stack that is deployed before `stack`."""
    artifacts = json.loads((assembly.directory / "manifest.json").read_text())["artifacts"]
    found: set[str] = set()
    open_ = [stack]
    while open_:
        for name in artifacts[open_.pop()].get("dependencies", ()):
            if artifacts[name]["type"] == "aws:cloudformation:stack" and name not in found:
                found.add(name)
                open_.append(name)
    return found


@pytest.mark.parametrize("storage", ["lustre", "home"])
def test_awsome_1202_role_can_describe_file_systems_and_a_missing_mount_fails(
    build: Build, node: MakeNode, storage: str
) -> None:
    value: Any = [specs.LUSTRE] if storage == "lustre" else {"kind": "openzfs", "capacity_gib": 64}
    assembly = build(small(**{f"storage__{storage}": value}))
    resources = assembly.templates["test-cluster"]["Resources"]
    for group in groups_of(assembly).values():
        role = group["ExecutionRole"]["Fn::GetAtt"][0]
        policies = [
            *resources[role]["Properties"].get("Policies", []),
            *(
                entry["Properties"]
                for entry in resources.values()
                if {"Ref": role} in entry.get("Properties", {}).get("Roles", [])
            ),
        ]
        allowed = {
            action
            for policy in policies
            for statement in policy["PolicyDocument"]["Statement"]
            if statement["Effect"] == "Allow" and statement["Resource"] == "*"
            for action in _listed(statement["Action"])
        }
        assert "fsx:DescribeFileSystems" in allowed
    # If EFA transfers no data for any other reason, the node reports it and fails.
    run = node("workers-1", efa_moves=[0]).run()
    assert run.code == 1
    assert "data to and from /fsx does not use EFA" in run.last


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_awsome_918_changed_script_changes_the_template(build: Build, tmp_path: Path) -> None:
    from stacks.lifecycle import node_files, scripts

    assembly = build(small())
    cluster = specs.load(tmp_path).cluster
    inputs = {
        "cluster.json": files_of_nodes(assembly)["cluster.json"],
        # A changed number of nodes is no change of the scripts.
        "jobs.json": cluster_files(without_counts(cluster), load_catalog(), None),
    }
    tables = {**scripts.diagnosis_files(), **node_files.program_files({})}
    digest = scripts.scripts_digest(inputs, texts=tables)
    for group in groups_of(assembly).values():
        uri = "".join(strings(group["LifeCycleConfig"]["SourceS3Uri"]))
        assert uri.endswith(f"/lifecycle/{digest}/")
    # One more byte in any script changes the prefix, and so the template.
    copy = tmp_path / "scripts"
    shutil.copytree(LIFECYCLE, copy, ignore=shutil.ignore_patterns(*scripts.EXCLUDED))
    assert scripts.scripts_digest(inputs, copy, tables) == digest
    paths = [path for path in sorted(copy.rglob("*")) if path.is_file()]
    assert len(paths) > 30
    for path in paths:
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        assert scripts.scripts_digest(inputs, copy, tables) != digest, path
        path.write_bytes(content)
    # So does a change of the scripts' input.
    user = {"name": "ada", "uid": 20001}
    changed = build(small(slurm__users=[user]))
    (uri,) = {
        "".join(strings(group["LifeCycleConfig"]["SourceS3Uri"]))
        for group in groups_of(changed).values()
    }
    assert digest not in uri

    # Nothing is downloaded from third parties: code and files are in the account's buckets.
    for spec in (small(), RICH):
        assembly = build(spec)
        assert assembly.resources("AWS::CloudFormation::Stack") == {}
        for text in (text for one in assembly.templates.values() for text in strings(one)):
            for word in ("github", "raw.githubusercontent", "pypi", "docs.aws"):
                assert word not in text.lower()
        for name, function in assembly.resources("AWS::Lambda::Function").items():
            code = function["Properties"]["Code"]
            assert "ZipFile" in code or "-assets-" in "".join(strings(code["S3Bucket"])), name


def test_scaffolding_kit_17_accounting_is_part_of_the_cluster_request(build: Build) -> None:
    assembly = build(small(slurm__accounting={"kind": "rds"}))
    cluster = cluster_of(assembly)
    database = cluster["Orchestrator"]["Slurm"]["AccountingDatabase"]
    assert {"Endpoint", "Port", "Name", "SecretArn"} == set(database)
    assert cluster["NodeProvisioningMode"] == "Continuous"
    # The database exists before the cluster, so slurmctld never starts without it.
    assert "test-accounting" in before(assembly, "test-cluster")
    # No step configures accounting afterwards: those steps are for scripted mode.
    steps = LIFECYCLE / "clusterwright_node" / "steps"
    writers = {
        path.stem
        for path in steps.glob("*.py")
        if "slurmdbd.conf" in (text := path.read_text(encoding="utf-8"))
        or "slurm_generate" in text
    }
    assert {"slurmdbd", "slurm_files"} <= writers
    for name in ("slurm_database", "slurmdbd", "slurm_files", "slurm_daemons"):
        text = (steps / f"{name}.py").read_text(encoding="utf-8")
        applies = text.partition("def applies(")[2].partition("def ")[0]
        assert "if node.is_managed:\n        return skip(" in applies, name


def test_found_accounting_outside_the_cluster_is_one_setting(build: Build) -> None:
    without, with_ = build(small()), build(small(slurm__accounting={"kind": "rds"}))
    assert without.resources("AWS::RDS::DBInstance") == {}
    (instance,) = with_.resources("AWS::RDS::DBInstance").values()
    assert instance["DeletionPolicy"] == "RetainExceptOnCreate"
    assert instance["Properties"]["DeletionProtection"] is True
    assert len(with_.resources("AWS::SecretsManager::SecretTargetAttachment")) == 1
    database = cluster_of(with_)["Orchestrator"]["Slurm"]["AccountingDatabase"]
    assert all(
        "test-accounting" in "".join(strings(database[k])) for k in ("Endpoint", "SecretArn")
    )
    for script in LIFECYCLE.rglob("*.sh"):
        assert not re.search(r"\bread\s+-", script.read_text(encoding="utf-8"))


def test_awsome_1143_public_route_waits_for_the_gateway(build: Build) -> None:
    for spec in (small(network__egress="nat"), RICH):
        assembly = build(spec)
        template = next(t for name, t in assembly.templates.items() if name.endswith("-network"))
        resources = template["Resources"]
        (attachment,) = [
            n for n, r in resources.items() if r["Type"].endswith("GatewayAttachment")
        ]
        public = [
            resource
            for resource in resources.values()
            if resource["Type"] == "AWS::EC2::Route" and "GatewayId" in resource["Properties"]
        ]
        assert public
        for resource in (
            *public,
            *(r for r in resources.values() if r["Type"] == "AWS::EC2::EIP"),
        ):
            assert attachment in _listed(resource["DependsOn"])
        (route,) = [name for name, resource in resources.items() if resource in public]
        for resource in resources.values():
            if resource["Type"] == "AWS::EC2::NatGateway":
                assert route in _listed(resource["DependsOn"])


@pytest.mark.parametrize("changes", [{}, {"protection": "retain"}, {"identity": {}}])
def test_parallelcluster_6109_every_taggable_resource_has_the_tags(
    build: Build, changes: dict[str, Any]
) -> None:
    """According to CloudFormation's schemas: every taggable resource has the tags of the spec."""
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    assembly = build({**RICH, **changes})
    wanted = {"clusterwright:environment": RICH["environment"], **RICH["tags"]}
    seen = set()
    for stack, template in assembly.templates.items():
        for name, resource in template["Resources"].items():
            kind = resource["Type"]
            if kind.startswith("Custom::"):
                continue
            schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema
            tagging = schema.get("tagging", {})
            key = tagging.get("tagProperty", "/properties/Tags").rpartition("/")[2]
            taggable = tagging.get("taggable", schema.get("taggable", True))
            if not taggable or key not in schema["properties"]:
                continue
            tags = resource["Properties"].get(key)
            assert tags is not None, f"{stack}/{name} ({kind}) has no tags"
            found = tags if isinstance(tags, dict) else {t["Key"]: t["Value"] for t in tags}
            assert wanted.items() <= found.items(), f"{stack}/{name} ({kind})"
            seen.add(kind)
    assert {"AWS::FSx::FileSystem", "AWS::SageMaker::Cluster", "AWS::IAM::Role"} <= seen
    assert len(seen) > 15


# --- wishes


# Resources without a CDK class; cfn-lint validates them with CloudFormation's schema
# (tests/stacks/base/test_nag.py).
WITHOUT_A_CLASS = {"AWS::SageMaker::ComputeQuota": (aws_sagemaker, "CfnComputeQuota")}


def test_awsome_712_templates_come_from_typed_constructs(build: Build) -> None:
    """No resource is an untyped dictionary, in which a misspelt key would be ignored."""
    for path in (ROOT / "stacks").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                name = ast.unparse(call.func)
                if name in ("cdk.CfnResource", "CfnResource", "CfnInclude"):
                    kinds = [ast.literal_eval(k.value) for k in call.keywords if k.arg == "type"]
                    assert len(kinds) == 1, path
                    assert kinds[0] in WITHOUT_A_CLASS, path
    for kind, (module, name) in WITHOUT_A_CLASS.items():
        assert not hasattr(module, name), f"the CDK has a class for {kind} now"
    # Every key of the cluster is defined in SageMaker's API at that position.
    from botocore.session import get_session

    model = get_session().get_service_model("sagemaker")
    shape = model.operation_model("CreateCluster").input_shape
    assert _unknown_keys(cluster_of(build(RICH)), shape) == []
    assert _unknown_keys({"InstanceGroups": [{"InstanceKount": 1}]}, shape) == ["InstanceKount"]
    # They deploy without Clusterwright: templates name it only in texts for people.
    for template in build(RICH).templates.values():
        assert "Transform" not in template
        assert all(
            not resource["Type"].startswith("Custom::Clusterwright")
            for resource in template["Resources"].values()
        )


def _unknown_keys(value: Any, shape: Any) -> list[str]:
    if isinstance(value, dict) and not any(key.startswith("Fn::") for key in value):
        if shape.type_name != "structure" or set(value) == {"Ref"}:
            return []
        found = [key for key in value if key not in shape.members]
        for key in value.keys() & shape.members.keys():
            found += _unknown_keys(value[key], shape.members[key])
        return found
    if isinstance(value, list) and shape.type_name == "list":
        return [key for child in value for key in _unknown_keys(child, shape.member)]
    return []


def test_awsome_1028_slurm_is_configured_through_the_api(build: Build) -> None:
    managed = build(small())
    assert set(cluster_of(managed)["Orchestrator"]) == {"Slurm"}
    groups = groups_of(managed)
    assert groups["controller"]["SlurmConfig"] == {"NodeType": "Controller"}
    assert groups["workers"]["SlurmConfig"] == {
        "NodeType": "Compute",
        "PartitionNames": ["training"],
    }
    for group in groups.values():
        assert set(group["LifeCycleConfig"]) == {"SourceS3Uri", "OnInitComplete"}
    assert "provisioning_parameters.json" not in files_of_nodes(managed)

    # The alternative is complete too, and the two are never mixed.
    scripted = build(small(slurm__configuration="scripted", slurm__accounting={"kind": "none"}))
    assert "Orchestrator" not in cluster_of(scripted)
    for group in groups_of(scripted).values():
        assert set(group["LifeCycleConfig"]) == {"SourceS3Uri", "OnCreate"}
        assert "SlurmConfig" not in group
    assert "provisioning_parameters.json" in files_of_nodes(scripted)


def test_awsome_1160_each_group_has_its_own_training_plan(build: Build) -> None:
    plans = [f"{specs.PLAN[:-1]}{number}" for number in range(1, 4)]
    workers = [
        {
            **specs.SMALL["compute"][1],
            "name": f"plan{number}",
            "capacity": {"kind": "training-plan", "arn": plan},
        }
        for number, plan in enumerate(plans)
    ]
    groups = groups_of(build(small(compute=[specs.SMALL["compute"][0], *workers])))
    assert [groups[f"plan{n}"]["TrainingPlanArn"] for n in range(3)] == plans
    assert "TrainingPlanArn" not in groups["controller"]


def test_awsome_551_efa_lustre_with_associations_is_declared(build: Build) -> None:
    repositories = [
        {"s3": "s3://acme-corpus/tokens", "path": "/data", "import": ["NEW", "CHANGED"]},
        {"s3": "s3://acme-out", "path": "/out", "export": ["NEW", "CHANGED", "DELETED"]},
    ]
    assembly = build(small(storage__lustre=[{**specs.LUSTRE, "repositories": repositories}]))
    (system,) = assembly.resources("AWS::FSx::FileSystem").values()
    lustre = system["Properties"]["LustreConfiguration"]
    assert lustre["EfaEnabled"] is True
    assert lustre["DeploymentType"] == "PERSISTENT_2"
    assert lustre["MetadataConfiguration"] == {"Mode": "AUTOMATIC"}
    into, out = [
        resource["Properties"]
        for resource in assembly.resources("AWS::FSx::DataRepositoryAssociation").values()
    ]
    assert into["DataRepositoryPath"] == "s3://acme-corpus/tokens"
    assert into["S3"] == {"AutoImportPolicy": {"Events": ["NEW", "CHANGED"]}}
    assert out["S3"] == {"AutoExportPolicy": {"Events": ["NEW", "CHANGED", "DELETED"]}}


@pytest.mark.parametrize("iops", [1500, 3000, 6000, 12000, 24000])
def test_parallelcluster_7616_metadata_iops_can_be_set(build: Build, iops: int) -> None:
    metadata = {"mode": "provisioned", "iops": iops}
    assembly = build(small(storage__lustre=[{**specs.LUSTRE, "efa": False, "metadata": metadata}]))
    (system,) = assembly.resources("AWS::FSx::FileSystem").values()
    assert system["Properties"]["LustreConfiguration"]["MetadataConfiguration"] == {
        "Mode": "USER_PROVISIONED",
        "Iops": iops,
    }
