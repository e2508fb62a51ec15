"""Roles of nodes and jobs: the node's rights are the node's, secrets are the controller's."""

from __future__ import annotations

from typing import Any

from tests.stacks.identity.node_statements import (
    WITHOUT_RESOURCE,
    controllers_statements,
    every_nodes_statements,
    jobs_statements,
    node_statements,
)
from tests.stacks.templates import cluster_of, group_of, listed, text_of
from tests.support.iam_reference import action_of
from tests.support.rich_specs import ACCOUNT, FULL, MINIMAL, changed
from tests.support.synthesis import Assembly, Build

SCRIPTED = changed(
    FULL,
    slurm__configuration="scripted",
    slurm__accounting={"kind": "rds"},
    resilience__node_provisioning=None,
    compute__2__min_count=None,
    compute__2__spare_count=0,
)


def actions_of(statements: list[dict[str, Any]]) -> set[str]:
    return {action for s in statements for action in listed(s["Action"])}


def roles(assembly: Assembly) -> dict[str, dict[str, Any]]:
    """The resource of each instance group's role, by the group's name."""
    resources = assembly.templates["test-cluster"]["Resources"]
    return {
        group["InstanceGroupName"]: resources[group["ExecutionRole"]["Fn::GetAtt"][0]]
        for group in cluster_of(assembly)["InstanceGroups"]
    }


def policies_of(assembly: Assembly, group: str) -> list[str]:
    """Logical ids of the policies that the role of a group has."""
    role = {"Ref": group_of(assembly, group)["ExecutionRole"]["Fn::GetAtt"][0]}
    return [
        logical
        for logical, resource in assembly.templates["test-cluster"]["Resources"].items()
        if resource["Type"] == "AWS::IAM::Policy" and role in resource["Properties"]["Roles"]
    ]


def test_each_instance_group_has_a_role_of_its_own(build: Build) -> None:
    for spec in (FULL, MINIMAL, SCRIPTED):
        assembly = build(spec)
        names = {
            text_of(group["ExecutionRole"]) for group in cluster_of(assembly)["InstanceGroups"]
        }
        assert len(names) == len(cluster_of(assembly)["InstanceGroups"])
        for role in roles(assembly).values():
            assert role["Properties"]["Path"] == "/clusterwright/test/us-east-1/nodes/"


def test_only_the_controller_reads_the_databases_secret(build: Build) -> None:
    for spec in (FULL, SCRIPTED):
        assembly = build(spec)
        assert any("Controller" in name for name in policies_of(assembly, "controller"))
        for group in ("login", "workers", "spot"):
            assert not [n for n in policies_of(assembly, group) if "Controller" in n]
        (secret,) = [s for s in controllers_statements(assembly) if "secretsm" in text_of(s)]
        assert secret["Sid"] == "AccountingSecrets"
        others = [*every_nodes_statements(assembly), *jobs_statements(assembly)]
        assert not [s for s in others if "accounting" in text_of(s).lower()]


def test_with_scripts_every_node_reads_the_munge_key_and_no_job_does(build: Build) -> None:
    assembly = build(SCRIPTED)
    (key,) = [s for s in every_nodes_statements(assembly) if "secretsmanager" in text_of(s)]
    assert key["Action"] == "secretsmanager:GetSecretValue"
    assert "MungeKey" in text_of(key["Resource"])
    assert not [a for a in actions_of(jobs_statements(assembly)) if a.startswith("secrets")]
    # Where HyperPod gives out the key, no role reads any secret but the controller's.
    managed = every_nodes_statements(build(FULL))
    assert not [a for a in actions_of(managed) if a.startswith("secrets")]


def test_an_existing_database_is_the_controllers_as_well(build: Build) -> None:
    existing = changed(
        FULL,
        slurm__accounting={
            "kind": "rds",
            "existing": {
                "endpoint": "db.example.com",
                "secret_arn": f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:slurm-AbCdEf",
            },
        },
        network__second_availability_zone_id=None,
    )
    assembly = build(existing)
    (secret,) = [s for s in controllers_statements(assembly) if "secretsm" in text_of(s)]
    assert secret["Resource"] == f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:slurm-AbCdEf"
    assert not [a for a in actions_of(every_nodes_statements(assembly)) if a.startswith("secrets")]


def test_only_the_controller_publishes_the_state_of_the_cluster(build: Build) -> None:
    assembly = build(MINIMAL)
    (state,) = controllers_statements(assembly)
    assert state["Action"] == "s3:PutObject"
    assert state["Resource"].endswith("/state/*")
    others = [*every_nodes_statements(assembly)]
    assert not [s for s in others if "s3:PutObject" in listed(s["Action"])]


def test_jobs_have_the_data_and_nothing_of_the_node(build: Build) -> None:
    services = {action.split(":")[0] for action in actions_of(jobs_statements(build(FULL)))}
    assert services == {"ecr", "kms", "s3", "s3express"}
    written, read = set(), set()
    for statement in jobs_statements(build(FULL)):
        actions = listed(statement["Action"])
        resources = set(map(str, listed(statement["Resource"])))
        assert "s3:DeleteObject" not in actions
        if "s3:PutObject" in actions:
            written |= resources
        if "s3:GetObject" in actions:
            read |= resources
    assert written == {"arn:aws:s3:::test-results/*"}
    assert "arn:aws:s3:::test-datasets/*" in read
    assert not [r for r in read if "sagemaker-test-" in r], "scripts are the nodes'"


def test_the_jobs_role_trusts_the_clusters_nodes_alone(build: Build) -> None:
    (role,) = [
        r["Properties"]
        for name, r in build(FULL).templates["test-cluster"]["Resources"].items()
        if r["Type"] == "AWS::IAM::Role" and name.startswith("NodeRolesJobs")
    ]
    assert role["RoleName"] == "test-us-east-1-jobs"
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Condition"] == {
        "ArnLike": {
            "aws:PrincipalArn": (
                f"arn:aws:iam::{ACCOUNT}:role/clusterwright/test/us-east-1/nodes/*"
            )
        }
    }
    (assume,) = [s for s in every_nodes_statements(build(FULL)) if s["Action"] == "sts:AssumeRole"]
    assert assume["Resource"] == f"arn:aws:iam::{ACCOUNT}:role/test-us-east-1-jobs"


def test_without_buckets_and_images_there_is_no_role_for_jobs(build: Build) -> None:
    assembly = build(MINIMAL)
    assert not jobs_statements(assembly)
    assert "sts:AssumeRole" not in actions_of(every_nodes_statements(assembly))


def test_only_actions_without_a_resource_have_the_resource_star(build: Build) -> None:
    for spec in (FULL, SCRIPTED):
        for statement in [*node_statements(build(spec)), *jobs_statements(build(spec))]:
            if statement["Resource"] == "*":
                assert set(listed(statement["Action"])) <= WITHOUT_RESOURCE


def test_each_action_of_ec2_has_every_resource_that_it_requires(build: Build) -> None:
    """An action whose second resource is missing is never allowed, silently."""
    for spec in (FULL, SCRIPTED):
        assembly = build(spec)
        for statements in (node_statements(assembly), jobs_statements(assembly)):
            for name in actions_of(statements):
                if not name.startswith("ec2:"):
                    continue
                given = " ".join(
                    text_of(s["Resource"]) for s in statements if name in listed(s["Action"])
                )
                for kind in action_of(name).required:
                    assert f":{kind}/" in given, f"{name} lacks the resource {kind}"


def test_no_action_of_the_nodes_is_a_wildcard(build: Build) -> None:
    for statement in [*node_statements(build(FULL)), *jobs_statements(build(FULL))]:
        assert not [a for a in listed(statement["Action"]) if "*" in a]
        assert statement["Effect"] == "Allow"


def test_permissions_depend_on_what_the_spec_uses(build: Build) -> None:
    actions = actions_of(node_statements(build(MINIMAL)))
    assert not [a for a in actions if a.split(":")[0] in ("ecr", "fsx", "secretsmanager", "aps")]
    without = changed(MINIMAL, identity={"session_manager": False})
    actions = actions_of(node_statements(build(without)))
    assert not [a for a in actions if a.startswith("ssm")]


def test_nodes_read_scripts_and_mounted_buckets_and_write_to_none(build: Build) -> None:
    read = set()
    for statement in node_statements(build(FULL)):
        actions = listed(statement["Action"])
        if statement.get("Sid") != "ClusterState":
            assert not {"s3:PutObject", "s3:DeleteObject"} & set(actions)
        if "s3:GetObject" in actions:
            read |= set(map(str, listed(statement["Resource"])))
    assert "arn:aws:s3:::test-datasets/*" in read
    assert any(r.startswith("arn:aws:s3:::sagemaker-test-") for r in read)
    assert "arn:aws:s3:::test-results/*" not in read


def test_directory_buckets_are_opened_by_sessions_of_jobs(build: Build) -> None:
    (express,) = [s for s in jobs_statements(build(FULL)) if "s3express" in text_of(s["Action"])]
    assert express["Action"] == "s3express:CreateSession"
    assert express["Resource"] == (
        f"arn:aws:s3express:us-east-1:{ACCOUNT}:bucket/test-shuffle--use1-az6--x-s3"
    )
