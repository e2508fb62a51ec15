"""Contradictions within cluster.json."""

from __future__ import annotations

from typing import Any

import pytest

from tests.nodes.input_values import Edit, cluster_problems


def add_user(cluster: dict[str, Any], **values: Any) -> None:
    user = {
        "name": "bob",
        "uid": 30001,
        "gid": 30001,
        "groups": [],
        "ssh_public_keys": [],
        "slurm_account": None,
        "sudo": False,
    }
    cluster["users"].append({**user, **values})


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda c: c.update(platform="parallelcluster"),
            "platform is parallelcluster, and configuration is managed",
        ),
        (
            lambda c: c["groups"].append(c["groups"][0]),
            "groups: one group has role controller, found 2",
        ),
        (lambda c: c["groups"].append(c["groups"][-1]), "groups: name: duplicate workers"),
        (
            lambda c: c["groups"][2].update(accelerator="none"),
            "accelerator none with accelerator_count",
        ),
        (lambda c: c["groups"][2].update(partition="other"), "other is not in slurm.partitions"),
        (lambda c: c["groups"][0].update(partition="dev"), "must be null for a controller group"),
        (
            lambda c: c["groups"][0].update(spare_count=1),
            "spare_count: must be 0 for a controller group",
        ),
        (lambda c: add_user(c, groups=["nobody"]), "groups: nobody is not in user_groups"),
        (
            lambda c: (add_user(c), add_user(c, name="eve", uid=30002)),
            "gid: 30001 is the private group of bob; put it in user_groups",
        ),
        (lambda c: (add_user(c), add_user(c)), "users: name: duplicate bob"),
        (
            lambda c: c["slurm"].update(accounting="none", accounts=[account("a")]),
            "slurm.accounts: slurm.accounting is none",
        ),
        (
            lambda c: c["slurm"].update(accounts=[account("a", qos=["missing"])]),
            "slurm.accounts[0].qos: missing is not in slurm.qos",
        ),
        (
            lambda c: c.update(checkpoint_path="/s3/data/x", mountpoints=[mountpoint("/s3/data")]),
            "checkpoint_path: /s3/data/x is on a read-only Mountpoint for S3 (/s3/data)",
        ),
        (
            lambda c: c.update(mountpoints=[mountpoint("/fsx/inner")]),
            "lustre fsx at /fsx and mountpoint data at /fsx/inner overlap",
        ),
        (
            lambda c: c["lustre"][0].update(preload=["/other/data"]),
            "lustre[0].preload: /other/data is not below /fsx",
        ),
        (
            lambda c: c["containers"].update(install="mirrored", pyxis=True),
            "containers: install is mirrored, but artefacts has no files",
        ),
    ],
)
def test_a_contradiction_is_named(edit: Edit, message: str) -> None:
    problems = cluster_problems(edit)
    assert any(message in problem for problem in problems), problems


def test_a_consistent_file_has_none() -> None:
    assert cluster_problems(lambda _: None) == []


def account(name: str, **values: Any) -> dict[str, Any]:
    return {"name": name, "fair_share": 1, "max_nodes": None, "qos": [], **values}


def mountpoint(path: str) -> dict[str, Any]:
    return {"bucket": "data", "prefix": None, "mount_path": path}
