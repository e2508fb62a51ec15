"""No unit that the node program writes is in an ordering cycle at boot.

systemd resolves a cycle by leaving out a start job, so that a mount or a service is missing after
some reboots. The units' lines and systemd's automatic dependencies (systemd.special(7),
systemd.service(5), systemd.mount(5), systemd.target(5)) make a graph, with cloud-init's as Ubuntu
has them: `cloud-init.service` comes between the network and sysinit.target (canonical/cloud-init
#4041, dkms-project/dkms#537).
"""

from __future__ import annotations

import graphlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from clusterwright_node import systemd
from clusterwright_node.steps import scratch

from tests.nodes.world import make_world, mirror_containers

_ORDER = (
    ("local-fs-pre.target", "local-fs.target"),
    ("local-fs.target", "sysinit.target"),
    ("sysinit.target", "basic.target"),
    ("sysinit.target", "timers.target"),
    ("basic.target", "multi-user.target"),
    ("cloud-init-local.service", "network-pre.target"),
    ("network-pre.target", "network.target"),
    ("network.target", "cloud-init.service"),
    ("cloud-init.service", "network-online.target"),
    ("cloud-init.service", "sysinit.target"),
    ("remote-fs-pre.target", "remote-fs.target"),
    ("network-online.target", "remote-fs.target"),
)
"""Units of systemd and cloud-init, each pair in its order."""
_EARLY = ("nftables.service", "netfilter-persistent.service", "ufw.service", "firewalld.service")
"""Units of others without default dependencies on Ubuntu (its firewalld is not on the images)."""
_NETWORK_MOUNT = re.compile(r"^(Options=.*_netdev|Type=(nfs4?|lustre)$)", re.MULTILINE)


def _values(text: str, key: str) -> list[str]:
    return [word for line in re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)
            for word in line.split()]  # fmt: skip


def _order(units: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(first, second) for each pair of units that boots in that order."""
    yield from _ORDER
    named = {name for text in units.values() for name in _values(text, "(?:After|Before)")}
    for name in {*named, *units}:
        text = units.get(name, "")
        early = name in _EARLY or name.startswith("cloud-init")
        early = early or "DefaultDependencies=no" in text
        if name.endswith(".service") and not early:
            yield "basic.target", name
        elif name.endswith((".timer", ".path")):
            yield "sysinit.target", name
    for name, text in units.items():
        yield from ((other, name) for other in _values(text, "After"))
        yield from ((name, other) for other in _values(text, "Before"))
        started_by = _values(text, "WantedBy")
        if "multi-user.target" in started_by and "DefaultDependencies=no" not in text:
            yield name, "multi-user.target"
        if name.endswith(".mount"):
            yield from _of_mount(name, text)
        for path in _values(text, "RequiresMountsFor"):
            for mount in units:
                where = _values(units[mount], "Where")
                if mount.endswith(".mount") and f"{path}/".startswith(f"{where[0]}/"):
                    yield mount, name


def _of_mount(name: str, text: str) -> Iterator[tuple[str, str]]:
    kind = "remote-fs" if _NETWORK_MOUNT.search(text) else "local-fs"
    yield f"{kind}-pre.target", name
    if "nofail" not in " ".join(_values(text, "Options")).split(","):
        yield name, f"{kind}.target"


def cycle(units: Mapping[str, str]) -> list[str] | None:
    """The units of one ordering cycle, None where there is none."""
    sorter: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    for first, second in _order(units):
        if first != second:
            sorter.add(second, first)
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return None


def _written(root: Path) -> dict[str, str]:
    """The units below /etc/systemd/system, each with its drop-ins."""
    folder = root / "etc/systemd/system"
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(folder).parts[0].removesuffix(".d")
            found[name] = found.get(name, "") + path.read_text(encoding="utf-8") + "\n"
    return found


NODES = [
    *(("managed", name) for name in ("workers-1", "controller-1", "login-1")),
    *(("scripted", name) for name in ("workers-1", "controller-1", "login-1")),
    *(("parallelcluster", name) for name in ("workers-1", "controller-1")),
    *(("pcs", name) for name in ("workers-1", "login-1")),
]


@pytest.mark.parametrize(("configuration", "node"), NODES)
def test_units_of_a_node_have_an_order(configuration: str, node: str, memory_path: Path) -> None:
    world = make_world(memory_path / "node", node, configuration)
    world.edit("cluster.json", lambda c: c["lustre"][0].update(preload=["/fsx/corpus"]))
    mirror_containers(world)
    assert world.run().code == 0
    units = _written(world.root)
    assert len(units) >= 4
    assert cycle(units) is None
    # The image's folder at another path, which nodes have whose image has mounted the disks.
    bound = {**units, _SCRATCH: scratch._bind_text("/scratch")}
    assert cycle(bound) is None
    waiting = "[Unit]\nRequiresMountsFor=/scratch\nAfter=dlami-nvme.service\n"
    assert cycle({**bound, "docker.service": waiting}) is None


_SCRATCH = systemd.escaped("/scratch") + ".mount"


@pytest.mark.parametrize(
    ("units", "parts"),
    [
        pytest.param(
            {
                _SCRATCH: "[Unit]\nAfter=dlami-nvme.service\n"
                "[Mount]\nWhere=/scratch\nOptions=bind\n"
            },
            {_SCRATCH, "local-fs.target", "dlami-nvme.service"},
            id="a local mount after a service",
        ),
        pytest.param(
            {"a.service": "[Unit]\nBefore=network-pre.target\n"},
            {"a.service", "network-pre.target", "cloud-init.service"},
            id="a service before the network",
        ),
        pytest.param(
            {
                "a.service": "[Unit]\nAfter=network-online.target\nBefore=fsx.mount\n"
                "RequiresMountsFor=/fsx/state\n",
                "fsx.mount": "[Mount]\nWhere=/fsx\nType=lustre\nOptions=_netdev\n",
            },
            {"a.service", "fsx.mount"},
            id="a service that prepares the mount that it needs",
        ),
        pytest.param(
            {
                "a.timer": "[Unit]\nAfter=multi-user.target\n"
                "[Install]\nWantedBy=multi-user.target\n"
            },
            {"a.timer", "multi-user.target"},
            id="a timer after the target that starts it",
        ),
    ],
)  # fmt: skip
def test_cycles_are_found(units: dict[str, str], parts: set[str]) -> None:
    assert parts <= set(cycle(units) or ())
