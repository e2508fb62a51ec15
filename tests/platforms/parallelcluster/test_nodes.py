"""Custom actions and permissions of head node, login nodes and compute nodes."""

from __future__ import annotations

from pathlib import Path

from clusterwright.platforms.parallelcluster.supplied import placeholders
from tests.platforms.parallelcluster.rendered import loaded, rendered
from tests.support.parallelcluster_specs import SMALL


def test_arguments_of_head_and_login_nodes_are_stable(tmp_path: Path) -> None:
    """Update policy of their OnNodeConfigured: unsupported. It must not contain a version."""
    found = rendered(tmp_path)
    supplied = placeholders(loaded(tmp_path, SMALL))
    pool = found["LoginNodes"]["Pools"][0]
    for holder in (found["HeadNode"], pool):
        text = str(holder["CustomActions"]["OnNodeConfigured"])
        assert supplied.scripts_s3_uri not in text
        assert supplied.manifest_sha256 not in text
    assert supplied.manifest_sha256 in str(found["HeadNode"]["CustomActions"]["OnNodeUpdated"])
    assert "OnNodeUpdated" not in pool["CustomActions"]


def test_node_policies_are_attached(tmp_path: Path) -> None:
    buckets = [
        {"name": "acme-datasets", "mount_path": "/s3/datasets"},
        {"name": "acme-results"},
        {"name": "acme-express", "directory": True},
    ]
    found = rendered(tmp_path, storage__buckets=buckets, identity={"session_manager": False})
    policy = {"Policy": "arn:aws:iam::111122223333:policy/placeholder-nodes"}
    assert found["HeadNode"]["Iam"] == {
        "AdditionalIamPolicies": [policy],
        "S3Access": [
            {"BucketName": "placeholder-scripts"},
            {"BucketName": "acme-datasets"},
            {"BucketName": "acme-results", "EnableWriteAccess": True},
            {
                "BucketName": "placeholder-scripts",
                "KeyName": "state/*",
                "EnableWriteAccess": True,
            },
        ],
    }
    assert "state/*" not in str(found["Scheduling"]["SlurmQueues"])
    # Pools of login nodes have no S3Access: all their permissions are in policies.
    assert found["LoginNodes"]["Pools"][0]["Iam"] == {"AdditionalIamPolicies": [policy]}
