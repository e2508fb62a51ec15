"""Local NVMe disks and the signatures on them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from clusterwright_node import disks
from clusterwright_node.disks import INSTANCE_STORE_MODEL, Disk, Signature
from clusterwright_node.errors import CommandError, StepError

from tests.nodes.stub_node import stub_node


def lsblk(*rows: dict[str, Any]) -> dict[str, str]:
    return {"lsblk": json.dumps({"blockdevices": list(rows)})}


def row(name: str, model: str | None = INSTANCE_STORE_MODEL, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "disk", "model": model, "mountpoint": None, **more}


def test_only_instance_store_disks_are_listed() -> None:
    array = {"name": "/dev/md0", "type": "raid0", "mountpoint": "/scratch"}
    node = stub_node(
        lsblk(
            row("/dev/nvme2n1", children=[array]),
            row("/dev/nvme1n1", f"{INSTANCE_STORE_MODEL}  "),
            row("/dev/nvme0n1", "Amazon Elastic Block Store"),
            row("/dev/loop0", None, type="loop"),
        )
    )
    assert disks.instance_store_disks(node) == [
        Disk("/dev/nvme1n1", (), ()),
        Disk("/dev/nvme2n1", ("/scratch",), (("/dev/md0", "raid0"),)),
    ]


def test_an_lsblk_without_json() -> None:
    with pytest.raises(StepError, match="`lsblk` did not print JSON"):
        disks.instance_store_disks(stub_node({"lsblk": "NAME"}))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", None),
        ('{"signatures": []}', None),
        (
            '{"signatures": [{"type": "xfs", "label": "scratch", "uuid": "u-1"}]}',
            Signature("xfs", "scratch", "u-1"),
        ),
        ('{"signatures": [{"type": null}]}', Signature("unknown", "", "")),
    ],
)
def test_signatures(said: str, expected: Signature | None) -> None:
    assert disks.signature(stub_node({"wipefs": said}), "/dev/nvme1n1") == expected


def test_an_unreadable_disk_is_not_blank() -> None:
    with pytest.raises(CommandError, match="I/O error"):
        disks.signature(stub_node({"wipefs": (1, "I/O error")}), "/dev/nvme1n1")


@pytest.mark.parametrize(
    ("device", "said", "name"),
    [
        ("/dev/md0", "MD_LEVEL=raid0\nMD_NAME=ip-10-1-0-4:clusterwright\n", "clusterwright"),
        ("/dev/nvme1n1", "MD_NAME=plain\n", "plain"),
        ("/dev/md0", "", ""),
    ],
)
def test_names_of_arrays(device: str, said: str, name: str) -> None:
    node = stub_node({"mdadm": said})
    assert disks.array_name(node, device) == name
    option = "--detail" if device == "/dev/md0" else "--examine"
    assert node.machine.ran == [f"mdadm {option} --export {device}"]
