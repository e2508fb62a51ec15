"""The disk space for images and containers."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from clusterwright_node import disk_space

from tests.nodes.stub_node import stub_node

PLAIN = SimpleNamespace(scratch=None)
SCRATCH = SimpleNamespace(scratch=SimpleNamespace(mount_path="/scratch"))


def mounted(options: str) -> dict[str, str]:
    rows = [{"target": "/opt/sagemaker", "source": "a", "fstype": "xfs", "options": options}]
    return {"findmnt": json.dumps({"filesystems": rows})}


def test_scratch_comes_before_the_additional_volume() -> None:
    node = stub_node(group=SCRATCH)
    assert disk_space.place(node) == disk_space.of(node) == "/scratch"


@pytest.mark.parametrize(("options", "place"), [("rw", "/opt/sagemaker"), ("ro", None)])
def test_the_additional_volume(options: str, place: str | None) -> None:
    assert disk_space.place(stub_node(mounted(options), group=PLAIN)) == place


def test_only_a_root_volume() -> None:
    node = stub_node({"findmnt": '{"filesystems": []}'}, group=PLAIN)
    assert disk_space.place(node) is None


def test_a_drop_in_waits_for_the_mount() -> None:
    text = disk_space.drop_in(stub_node(group=SCRATCH))
    assert "RequiresMountsFor=/scratch\nAfter=dlami-nvme.service\n" in text


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("ExecStart=/usr/bin/dockerd --data-root=/data -H x", "/data"),
        ("ExecStart=/usr/bin/dockerd --data-root /data", "/data"),
        ("ExecStart=/usr/bin/dockerd -g /old", "/old"),
        ("ExecStart=/usr/bin/dockerd", None),
        ("ExecStart=/usr/bin/other --data-root=/data", None),
        ("ExecStart=/usr/bin/dockerd 'unclosed", None),
    ],
)
def test_the_path_in_a_command_line(line: str, path: str | None) -> None:
    node = stub_node({"systemctl cat docker.service": f"[Service]\n{line}\n"})
    assert disk_space.by_flag(node, "docker.service", "dockerd", "--data-root", "-g") == path
