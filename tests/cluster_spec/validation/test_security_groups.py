"""The number of security groups of a node is limited by HyperPod."""

from __future__ import annotations

import copy
from typing import Any

from clusterwright.cluster_spec.security_groups import MAXIMUM_SECURITY_GROUPS
from clusterwright.cluster_spec.validation import security_groups
from tests.support.rich_specs import EXISTING
from tests.support.validation import found


def with_groups(own: int, theirs: int) -> dict[str, Any]:
    """The existing network with `own` groups, and `theirs` file systems with one each."""
    spec = copy.deepcopy(EXISTING)
    network = spec["network"]["existing"]
    network["security_group_ids"] = [f"sg-0a1b2c3d4e5f6000{n}" for n in range(own)]
    first = spec["storage"]["lustre"][0]
    spec["storage"] = {"lustre": []}
    for number in range(theirs):
        entry = copy.deepcopy(first)
        entry["mount_path"] = f"/fsx{number}"
        entry["existing"]["security_group_id"] = f"sg-0f1e2d3c4b5a6000{number}"
        spec["storage"]["lustre"].append(entry)
    return spec


def test_consistent_specs_pass() -> None:
    assert found(security_groups.problems) == {}
    assert found(security_groups.problems, base=EXISTING) == {}
    assert found(security_groups.problems, base=with_groups(3, 2)) == {}


def test_excess_security_group_is_reported_at_the_last_one() -> None:
    assert MAXIMUM_SECURITY_GROUPS == 5
    problems = found(security_groups.problems, base=with_groups(3, 3))
    assert list(problems) == ["storage.lustre[2].existing.security_group_id"]
    said = problems["storage.lustre[2].existing.security_group_id"]
    assert (
        "nodes would have 6 security groups, including those of existing file systems; HyperPod "
        "allows" in said
    )
    assert "security groups, including those of existing file systems; HyperPod allows 5" in said


def test_shared_security_group_counts_once() -> None:
    spec = with_groups(3, 3)
    for file_system in spec["storage"]["lustre"]:
        file_system["existing"]["security_group_id"] = "sg-0f1e2d3c4b5a60000"
    assert found(security_groups.problems, base=spec) == {}
