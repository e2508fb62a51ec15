"""`clusterwright render parallelcluster`: full outputs, origins of ids, and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from syrupy.assertion import SnapshotAssertion

from clusterwright.platforms.parallelcluster import outputs
from clusterwright.platforms.parallelcluster.supplied import Database, Supplied
from tests.support import parallelcluster_specs as specs
from tests.support.command_line import clusterwright
from tests.support.specs import write

PLACEHOLDERS = (
    "placeholders: HeadSubnetId, LoginSubnetId, ComputeSubnetId, SecurityGroupIds, ScriptsUri, "
    "ManifestSha256, EntryUri, LatestUri, PolicyArns, LustreIds, HomeVolumeId\n"
)

DEPLOYED = Supplied(
    head_subnet_id="subnet-0a1b2c3d4e5f60711",
    login_subnet_id="subnet-0a1b2c3d4e5f60712",
    compute_subnet_id="subnet-0a1b2c3d4e5f60713",
    security_group_ids=("sg-0a1b2c3d4e5f60714", "sg-0a1b2c3d4e5f60715"),
    scripts_s3_uri="s3://sagemaker-train-0123/scripts/abc",
    scripts_bucket="sagemaker-train-0123",
    manifest_sha256="ab" * 32,
    entry_s3_uri="s3://sagemaker-train-0123/parallelcluster/on_node_configured.sh",
    latest_s3_uri="s3://sagemaker-train-0123/parallelcluster/latest",
    policy_arns=("arn:aws:iam::111122223333:policy/nodes",),
    lustre_ids={"fsx": "fs-0a1b2c3d4e5f60716"},
    home_volume_id="fsvol-0a1b2c3d4e5f60717",
    placement_group_names={"workers": "train-workers"},
    database=Database(
        "db.internal",
        "3307",
        "slurm",
        "arn:aws:secretsmanager:us-east-1:111122223333:secret:train-AbCdEf",
        "slurm_acct_db",
    ),
)


@pytest.fixture
def large() -> dict[str, Any]:
    """A block, Spot, a scaled group, partitions with several groups, accounting, EFA Lustre."""
    data = specs.with_groups(
        {
            "name": "block",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 64,
            "spare_count": 2,
            "capacity": {"kind": "capacity-block", "id": "cr-0123456789abcdef0"},
            "scratch": {"mount_path": "/scratch"},
        },
        {
            "name": "reserved",
            "role": "compute",
            "instance_type": "p5.48xlarge",
            "count": 8,
            "capacity": {"kind": "reservation", "id": "cr-0123456789abcdef1"},
            "threads_per_core": 1,
        },
        {
            "name": "hopper",
            "role": "compute",
            "instance_type": "p5.4xlarge",
            "count": 2,
            "max_count": 20,
        },
        {
            "name": "cheap",
            "role": "compute",
            "instance_type": "g5.48xlarge",
            "count": 0,
            "max_count": 4,
            "capacity": {"kind": "spot"},
        },
    )
    data["storage"]["lustre"] += [
        {
            "mount_path": "/fast",
            "capacity_gib": 4800,
            "throughput_mbps_per_tib": 1000,
            "efa": True,
        }
    ]
    data["storage"]["buckets"] = [
        {"name": "acme-datasets", "mount_path": "/s3/datasets"},
        {"name": "acme-results"},
        {"name": "acme-express", "directory": True},
    ]
    data["identity"] = {
        "permissions_boundary_arn": "arn:aws:iam::111122223333:policy/boundary",
    }
    data["slurm"] = {
        "accounting": {"kind": "rds"},
        "partitions": [
            {"name": "training", "groups": ["block"], "priority_tier": 2},
            {"name": "debug", "groups": ["reserved", "hopper"], "max_time_minutes": 60},
            {"name": "cheap", "groups": ["cheap"]},
        ],
        "preemption": "requeue",
        "qos": [{"name": "urgent", "preempts": ["low"]}, {"name": "low"}],
    }
    data["parallelcluster"] = {
        "ssh_key_name": "ml-infrastructure",
        "head_node_root_volume_gib": 200,
        "root_volume_gib": 300,
        "queue_update_strategy": "terminate",
        "gpu_health_check": True,
        "detailed_monitoring": True,
    }
    data["tags"] = {"owner": "ml", "cost-centre": "4711"}
    return data


def test_full_output(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    write(tmp_path / "spec.yaml", specs.SMALL)
    answer = clusterwright("render", "parallelcluster", "spec.yaml", folder=tmp_path)
    assert (answer.exit_code, answer.err) == (0, PLACEHOLDERS)
    assert answer.out == snapshot


def test_full_output_of_a_large_cluster(
    large: dict[str, Any], tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    write(tmp_path / "spec.yaml", large)
    answer = clusterwright("render", "parallelcluster", "spec.yaml", folder=tmp_path)
    assert answer.exit_code == 0
    assert answer.out == snapshot


def test_full_json(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    write(tmp_path / "spec.yaml", specs.SMALL)
    words = ("render", "parallelcluster", "spec.yaml", "--format", "json")
    answer = clusterwright(*words, folder=tmp_path)
    assert answer.exit_code == 0
    assert answer.out == snapshot
    data = json.loads(answer.out)
    text = clusterwright("render", "parallelcluster", "spec.yaml", folder=tmp_path).out
    assert yaml.safe_load(text) == data["configuration"]


def test_outputs_of_a_deployment_are_inserted(
    large: dict[str, Any], tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """No placeholder is left, and outputs of other stacks are ignored."""
    write(tmp_path / "spec.yaml", large)
    found = {
        "train-cluster": {**outputs.as_outputs(DEPLOYED), "ClusterName": "train"},
        "another-cluster": {"HeadSubnetId": "subnet-ffffffffffffffff0"},
        # A separate environment, whose name begins with this one's.
        "train-eu-cluster": {"HeadSubnetId": "subnet-ffffffffffffffff1"},
    }
    found["train-cluster"]["PlacementGroups"] = "hopper=train-hopper"
    (tmp_path / "outputs.json").write_text(json.dumps(found))
    words = ("render", "parallelcluster", "spec.yaml", "--outputs", "outputs.json")
    answer = clusterwright(*words, folder=tmp_path)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == snapshot
    set_too = clusterwright(*words, "--set", "DatabaseHost=other.internal", folder=tmp_path)
    assert "Uri: other.internal:3307" in set_too.out


def test_texts_survive_a_round_trip(tmp_path: Path) -> None:
    from clusterwright.platforms.loading import load_cluster

    data = {**specs.SMALL, "slurm": {"accounting": {"kind": "rds"}}}
    cluster = load_cluster(write(tmp_path / "spec.yaml", data)).cluster
    assert outputs.supplied_from(cluster, outputs.as_outputs(DEPLOYED)) == DEPLOYED
    assert outputs.missing(cluster, outputs.as_outputs(DEPLOYED)) == {}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--set", "HeadSubnet"), "expected NAME=VALUE"),
        (("--set", "HeadSubnetid=x"), "did you mean `HeadSubnetId`?"),
        (("--set", "HeadSubnetId=x"), "'x' is not the private subnet of the head node"),
        (("--set", "ScriptsUri=s3://b/p/"), "is not the S3 prefix of on_node_configured.sh"),
        (("--set", "LustreIds=lake=fs-0a1b2c3d4e5f60716"), "the spec has no `lake`"),
        (("--set", "PlacementGroups=gpus=pg"), "the spec has no `gpus`"),
        (("--outputs", "none.json"), "none.json cannot be read: No such file or directory"),
        (("--outputs", "spec.txt"), "spec.txt is not JSON"),
        (("--outputs", "list.json"), "is not a file of outputs"),
        (("--outputs", "other.json"), "has no stack of the environment train"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    write(tmp_path / "spec.yaml", specs.SMALL)
    (tmp_path / "spec.txt").write_text("no: json")
    (tmp_path / "list.json").write_text('["a"]')
    (tmp_path / "other.json").write_text('{"prod-cluster": {}, "train-eu-cluster": {}}')
    answer = clusterwright("render", "parallelcluster", "spec.yaml", *words, folder=tmp_path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert message in answer.err


def test_other_platform_is_refused(tmp_path: Path) -> None:
    from tests.support.specs import SMALL

    write(tmp_path / "spec.yaml", SMALL)
    answer = clusterwright("render", "parallelcluster", "spec.yaml", folder=tmp_path)
    assert answer.exit_code == 3
    assert "the spec has platform: hyperpod-slurm" in answer.err


def test_capacity_that_ec2_lacks_is_refused(tmp_path: Path) -> None:
    """A training plan has no key in the configuration: nothing is printed."""
    plan = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/run"
    group = {**specs.SMALL["compute"][2], "capacity": {"kind": "training-plan", "arn": plan}}
    write(tmp_path / "spec.yaml", specs.with_groups(group))
    answer = clusterwright("render", "parallelcluster", "spec.yaml", folder=tmp_path)
    assert (answer.exit_code, answer.out) == (3, "")
    assert "compute[2].capacity: parallelcluster does not support training-plan" in answer.err
    assert "only HyperPod can use it" in answer.err


def test_render_group_lists_its_commands() -> None:
    answer = clusterwright("render", "paralelcluster")
    assert answer.exit_code == 3
    assert "did you mean `parallelcluster`?" in answer.err
    assert "parallelcluster" in clusterwright("render", "--help").out
