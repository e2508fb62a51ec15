"""Read the settings and NodeName lines of slurm.conf and its included files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterwright_common.hostlist import expanded

from clusterwright_node.machine import Machine

FOLDER = "/opt/slurm/etc"
SLURM_CONF = FOLDER + "/slurm.conf"
_DEEPEST_INCLUDE = 5


def active_lines(machine: Machine, path: str = SLURM_CONF, depth: int = 0) -> Iterator[str]:
    """Lines without comments, with continuations joined and included files inserted."""
    text = (machine.read_text(path) or "").replace("\\\n", " ")
    for raw in text.splitlines():
        line = raw.split("#", 1)[0].strip()
        match = re.match(r"(?i)include\s+(\S+)$", line)
        if match and depth < _DEEPEST_INCLUDE:
            name = match.group(1)
            inner = name if name.startswith("/") else f"{FOLDER}/{name}"
            yield from active_lines(machine, inner, depth + 1)
        elif line:
            yield line


def settings(line: str) -> dict[str, str]:
    """`NodeName=a NodeAddr=1.2.3.4` as a table with keys in lower case."""
    return {key.lower(): value for key, value in re.findall(r"(\w+)=(\"[^\"]*\"|\S+)", line)}


def is_complete(machine: Machine, path: str = SLURM_CONF) -> bool:
    """Whether slurm.conf has the cluster and a controller; an incomplete file does not."""
    keys = {key for line in active_lines(machine, path) for key in settings(line)}
    return "clustername" in keys and bool({"slurmctldhost", "controlmachine"} & keys)


def global_settings(machine: Machine, path: str = SLURM_CONF) -> dict[str, str]:
    """The global settings of a file and its included files, under the keys as written."""
    found: dict[str, str] = {}
    for line in active_lines(machine, path):
        key, equals, value = line.partition("=")
        if equals and key.strip().lower() not in ("nodename", "partitionname", "nodeset"):
            found[key.strip()] = value.strip()
    return found


def node_names(machine: Machine, path: str = SLURM_CONF) -> list[tuple[str, str | None]]:
    """Every node as (name, address), with address None if the line has none."""
    found: list[tuple[str, str | None]] = []
    for line in active_lines(machine, path):
        table = settings(line)
        if table.get("nodename", "DEFAULT").upper() == "DEFAULT":
            continue
        names = expanded(table["nodename"])
        addresses = expanded(table["nodeaddr"]) if "nodeaddr" in table else []
        if len(addresses) == len(names):
            found.extend(zip(names, addresses))
        else:
            found.extend((name, None) for name in names)
    return found


def names_by_address(machine: Machine, path: str = SLURM_CONF) -> dict[str, str]:
    """Slurm's name of the node at each address: by NodeAddr, else by a name such as ip-10-1-0-11
    or the address itself.
    """
    found: dict[str, str] = {}
    for name, address in node_names(machine, path):
        dashed = re.match(r"ip-(\d+)-(\d+)-(\d+)-(\d+)(?:\.|$)", name)
        if address is not None:
            found[address] = name
        elif dashed:
            found[".".join(dashed.groups())] = name
        else:
            found[name] = name
    return found
