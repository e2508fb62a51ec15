"""Nodes with containerd."""

from __future__ import annotations

from tests.nodes.world import World

CONF = "etc/containerd/config.toml"

UNIT = "[Service]\nExecStart=/usr/bin/containerd\n"

RUNS = {"active": True, "enabled": True, "loaded": None}

PACKAGED = """\
#   Copyright 2018-2022 Docker Inc.

disabled_plugins = ["cri"]

#root = "/var/lib/containerd"
#state = "/run/containerd"

[grpc]
root = "of another table"
"""
"""The file of containerd.io, with a table whose key has the same name."""


def with_containerd(node: World, text: str | None = PACKAGED, unit: str = UNIT) -> World:
    state = node.state
    node.change(
        image_units={**state["image_units"], "containerd.service": unit},
        units={**state["units"], "containerd.service": RUNS},
    )
    if text is not None:
        path = node.root / CONF
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return node
