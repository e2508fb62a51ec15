"""`clusterwright topology` on a node: AWS's network tree where HyperPod lists it, and Slurm's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

from clusterwright_state.commands.view import View, finding, most_severe_first, of_aws, unknown

Paths = Mapping[str, Optional[Sequence[str]]]


def answer(view: View) -> dict[str, Any]:
    """The document of the command."""
    nodes = view.compute_nodes
    paths: Paths = {node["name"]: node["switch_path"] for node in nodes}
    slurm: Paths = {node["name"]: node["slurm_switch_path"] for node in nodes}
    agreement = _agreement(paths, slurm)
    jobs = _jobs(view, paths)
    differ = sorted(name for name, word in agreement.items() if word == "no")
    findings = []
    if differ:
        text = f"Slurm places {len(differ)} nodes other than AWS does: {', '.join(differ[:5])}"
        hint = "run the node program on the controller again, which writes topology.conf"
        findings.append(finding("topology-differs", "warning", text, differ, hint))
    plugin = ((view.state["configuration"] or {}).get("slurm_conf") or {}).get("TopologyPlugin")
    findings += _without_tree(view, paths, slurm, plugin)
    for job in jobs or ():
        if job["crosses_spines"]:
            text = (
                f"job {job['id']} on {job['nodes']} nodes is below {job['spines']} spines and "
                f"{job['leaves']} leaves"
            )
            findings.append(finding("job-across-spines", "info", text, [job["id"]]))
    parts = [*view.unknown(), *view.without_nodes_of_jobs()]
    if nodes and not any(paths.values()):
        parts.append(_no_paths(view))
    findings = most_severe_first(findings)
    return {
        **view.envelope("topology", findings, parts),
        "plugin": plugin,
        "network": list(_network(paths)),
        "nodes": [
            {
                "name": node["name"],
                "group": node["group"],
                "instance_id": node["instance_id"],
                "path": paths[node["name"]],
                "slurm_path": slurm[node["name"]],
                "agrees": agreement[node["name"]],
            }
            for node in nodes
        ],
        "jobs": jobs,
        "findings": findings,
        "unknown": parts,
    }


def _without_tree(
    view: View, paths: Paths, slurm: Paths, plugin: Optional[str]
) -> Iterator[dict[str, Any]]:
    leaves = {tuple(path) for path in paths.values() if path}
    if len(leaves) < 2 or any(slurm.values()):
        return
    if plugin is not None and plugin.endswith("block"):
        return  # Blocks are UltraServers, which are not in the tree of switches.
    wanted = view.setting.topology == "tree"
    text = (
        f"the nodes are below {len(leaves)} network nodes, and Slurm has no tree of switches "
        f"(TopologyPlugin {plugin or 'unknown'})"
    )
    yield finding(
        "slurm-without-topology",
        "warning" if wanted else "info",
        text,
        [],
        None if wanted else "slurm.topology: tree in the file",
    )


def _no_paths(view: View) -> dict[str, Any]:
    what = "AWS's network nodes"
    if view.setting.on_hyperpod:
        file = view.setting.resource_config
        return unknown(what, f"{file} names none, or only root reads it")
    return of_aws(what, "topology")


def _groups(paths: Mapping[str, Sequence[str]]) -> dict[str, set[frozenset[str]]]:
    """For each node, the groups of nodes below each of its switches, without that of all."""
    members: dict[tuple[str, ...], set[str]] = {}
    for name, path in paths.items():
        for depth in range(1, len(path) + 1):
            members.setdefault(tuple(path[:depth]), set()).add(name)
    every = frozenset(paths)
    return {
        name: {frozenset(members[tuple(path[:depth])]) for depth in range(1, len(path) + 1)}
        - {every}
        for name, path in paths.items()
    }


def _agreement(paths: Paths, slurm: Paths) -> dict[str, str]:
    """yes, no or unknown by node: whether Slurm groups it with the same nodes as AWS."""
    both = [name for name in paths if paths[name] and slurm[name]]
    of_aws_, of_slurm = (
        _groups({name: tree[name] or () for name in both}) for tree in (paths, slurm)
    )
    return {
        name: "unknown" if name not in both else "yes" if of_aws_[name] == of_slurm[name] else "no"
        for name in paths
    }


def _network(paths: Paths) -> Iterator[dict[str, Any]]:
    below: dict[tuple[str, ...], list[str]] = {}
    for name, path in paths.items():
        for depth in range(1, len(path or ()) + 1):
            below.setdefault(tuple((path or ())[:depth]), []).append(name)
    for place in sorted(below):
        parent = place[-2] if len(place) > 1 else None
        yield {"id": place[-1], "layer": len(place), "parent": parent, "nodes": below[place]}


def _jobs(view: View, paths: Paths) -> Optional[list[dict[str, Any]]]:
    if view.state["running"] is None:
        return None
    found = []
    for job in view.state["running"]:
        if not job["nodes"]:
            continue
        places = [tuple(paths.get(name) or ()) for name in job["nodes"]]
        complete = all(places)
        spines = len({place[:-1] for place in places}) if complete else None
        found.append(
            {
                "id": job["id"],
                "name": job["name"],
                "user": job["user"],
                "nodes": len(places),
                "leaves": len(set(places)) if complete else None,
                "spines": spines,
                "crosses_spines": None if spines is None else spines > 1,
            }
        )
    return found
