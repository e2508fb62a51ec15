"""A ParallelCluster configuration as YAML."""

from __future__ import annotations

import yaml

from clusterwright.render.parallelcluster import configuration_yaml

CONFIGURATION = {
    "Region": "us-east-1",
    "HeadNode": {
        "Networking": {"SubnetId": "subnet-0"},
        "CustomActions": {"Script": "s3://bucket/env/run.sh", "Args": ["s3://bucket", 7]},
    },
}


def rendered(**changes: dict[str, object]) -> str:
    values: dict[str, dict[str, object]] = {"placeholders": {}, "elsewhere": {}, **changes}
    return configuration_yaml(CONFIGURATION, name="train", version="3.16.1", **values)  # type: ignore[arg-type]


def test_the_order_and_the_values_are_kept() -> None:
    text = rendered()
    assert yaml.safe_load(text) == CONFIGURATION
    assert list(yaml.safe_load(text)) == ["Region", "HeadNode"]
    assert (
        "# Rendered by `clusterwright render parallelcluster` for ParallelCluster 3.16.1." in text
    )
    assert "--cluster-name train" in text
    assert "placeholder" not in text


def test_each_placeholder_has_a_comment_with_the_longest_match() -> None:
    text = rendered(
        placeholders={
            "HeadSubnetId": ("the private subnet", ["subnet-0"]),
            "ScriptsUri": ("the folder", ["s3://bucket/env"]),
            "Bucket": ("the bucket", ["s3://bucket"]),
        }
    )
    assert "# 3 placeholders, each marked" in text
    notes = {
        line.partition("#")[0].strip(): line.partition("# ")[2]
        for line in text.splitlines()
        if "# placeholder for" in line
    }
    assert notes == {
        "SubnetId: subnet-0": "placeholder for HeadSubnetId: the private subnet",
        "Script: s3://bucket/env/run.sh": "placeholder for ScriptsUri: the folder",
        "- s3://bucket": "placeholder for Bucket: the bucket",
    }


def test_file_systems_that_the_node_program_mounts() -> None:
    text = rendered(elsewhere={"fast": "/fast"})
    assert "# /fast is not listed: the node program mounts the Lustre file system fast" in text
