"""What `clusterwright topology` reports: AWS's network tree, jobs in it, and Slurm's view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import not_readable
from clusterwright.cluster_state.results import ClusterState
from clusterwright.operate.nodes import JoinedNode, joined_nodes
from clusterwright.operate.results import (
    Agrees,
    JobSpread,
    NetworkNode,
    NodePlace,
    OperatingFinding,
    TopologyReport,
    most_severe_first,
)
from clusterwright.operate.status import nothing_there, unknown_of

Path = tuple[str, ...]
_SHOWN = 5


def topology_report(
    cluster: Cluster,
    state: ClusterState,
    ec2_paths: Mapping[str, Path] | NotRead | None,
    *,
    file: str,
) -> TopologyReport:
    """The report on a cluster's network.

    Parameters
    ----------
    ec2_paths:
        EC2's network nodes by instance id; None on HyperPod, whose nodes EC2's APIs do not list:
        there the scheduler's view has them.
    """
    nodes = [node for node in joined_nodes(cluster, state) if node.role == "compute"]
    plugin = _plugin(state)
    paths = {node.name: _path(node, ec2_paths) for node in nodes}
    slurm = {node.name: _slurm_path(node) for node in nodes}
    places = tuple(_places(nodes, paths, slurm))
    jobs = _jobs(state, paths)
    parts: list[object] = [state.nodes, ec2_paths]
    if not nothing_there(state):
        parts.append(state.scheduler.unknown)
    if cluster.uses_slurm and state.scheduler.current is not None:
        parts += not_readable(state.scheduler.current, "running")
    none = places and all(place.path is None for place in places)
    if ec2_paths is None and none and state.scheduler.current is not None:
        parts.append(_no_paths(cluster))
    return TopologyReport(
        file=file,
        environment=cluster.environment,
        platform=cluster.platform,
        account=cluster.account,
        region=cluster.region,
        read_at=state.read_at,
        plugin=plugin,
        network=tuple(_network(paths)),
        nodes=places,
        jobs=jobs,
        findings=most_severe_first(
            [*_slurm_findings(cluster, state, places, plugin), *_job_findings(jobs)]
        ),
        unknown=unknown_of(parts),
    )


def groups_of(paths: Mapping[str, Path]) -> dict[str, set[frozenset[str]]]:
    """For each node, the groups of nodes below each of its switches, without that of all nodes.

    Two trees with equal groups place nodes equally, whatever their switches are called and
    however many levels have only one switch.
    """
    members: dict[Path, set[str]] = {}
    for name, path in paths.items():
        for depth in range(1, len(path) + 1):
            members.setdefault(path[:depth], set()).add(name)
    every = frozenset(paths)
    return {
        name: {frozenset(members[path[:depth]]) for depth in range(1, len(path) + 1)} - {every}
        for name, path in paths.items()
    }


def _path(node: JoinedNode, ec2_paths: Mapping[str, Path] | NotRead | None) -> Path | None:
    if ec2_paths is None:
        return node.scheduler.switch_path if node.scheduler is not None else None
    instance = node.platform.instance_id if node.platform is not None else None
    return None if isinstance(ec2_paths, NotRead) else ec2_paths.get(instance or "")


def _slurm_path(node: JoinedNode) -> Path | None:
    return node.scheduler.slurm_switch_path if node.scheduler is not None else None


def _places(
    nodes: Iterable[JoinedNode],
    paths: Mapping[str, Path | None],
    slurm: Mapping[str, Path | None],
) -> Iterator[NodePlace]:
    both = [name for name in paths if paths[name] and slurm[name]]
    of_aws = groups_of({name: paths[name] or () for name in both})
    of_slurm = groups_of({name: slurm[name] or () for name in both})
    for node in nodes:
        agrees: Agrees = "unknown"
        if node.name in of_aws:
            agrees = "yes" if of_aws[node.name] == of_slurm[node.name] else "no"
        instance = node.platform.instance_id if node.platform is not None else None
        yield NodePlace(
            node.name, node.group, instance, paths[node.name], slurm[node.name], agrees
        )


def _network(paths: Mapping[str, Path | None]) -> Iterator[NetworkNode]:
    """Every network node once, from the top down."""
    below: dict[Path, list[str]] = {}
    for name, path in paths.items():
        for depth in range(1, len(path or ()) + 1):
            below.setdefault((path or ())[:depth], []).append(name)
    for path in sorted(below):
        parent = path[-2] if len(path) > 1 else None
        yield NetworkNode(path[-1], len(path), parent, tuple(below[path]))


def _jobs(state: ClusterState, paths: Mapping[str, Path | None]) -> tuple[JobSpread, ...] | None:
    current = state.scheduler.current
    if current is None or current.running is None:
        return None
    found = []
    for job in current.running:
        if not job.nodes:
            continue
        places = [paths.get(name) for name in job.nodes]
        known_places = [path for path in places if path]
        complete = len(known_places) == len(places)
        found.append(
            JobSpread(
                job.id,
                job.name,
                job.user,
                len(places),
                len(set(known_places)) if complete else None,
                len({path[:-1] for path in known_places}) if complete else None,
            )
        )
    return tuple(found)


def _plugin(state: ClusterState) -> str | None:
    current = state.scheduler.current
    configuration = current.configuration if current is not None else None
    values = (configuration.slurm_conf if configuration is not None else None) or {}
    return values.get("TopologyPlugin")


def _slurm_findings(
    cluster: Cluster, state: ClusterState, places: Sequence[NodePlace], plugin: str | None
) -> Iterator[OperatingFinding]:
    differ = [place.name for place in places if place.agrees == "no"]
    if differ:
        shown = ", ".join(differ[:_SHOWN])
        more = f" and {len(differ) - _SHOWN} more" if len(differ) > _SHOWN else ""
        yield OperatingFinding(
            code="topology-differs",
            severity="warning",
            message=f"Slurm places {len(differ)} nodes other than AWS does: {shown}{more}",
            resources=tuple(differ),
            hint="run the node program on the controller again, which writes topology.conf",
        )
    current = state.scheduler.current
    if not cluster.uses_slurm or current is None or current.nodes is None:
        return
    leaves = {place.path for place in places if place.path}
    if len(leaves) > 1 and not any(place.slurm_path for place in places):
        if plugin is not None and plugin.endswith("block"):
            return  # Blocks are UltraServers, which are not in the tree of switches.
        wanted = cluster.slurm.topology == "tree"
        yield OperatingFinding(
            code="slurm-without-topology",
            severity="warning" if wanted else "info",
            message=(
                f"the nodes are below {len(leaves)} network nodes, and Slurm has no tree of "
                f"switches (TopologyPlugin {plugin or 'unknown'})"
            ),
            hint=None if wanted else "slurm.topology: tree in the file",
        )


def _job_findings(jobs: Sequence[JobSpread] | None) -> Iterator[OperatingFinding]:
    for job in jobs or ():
        if job.crosses_spines:
            yield OperatingFinding(
                code="job-across-spines",
                severity="info",
                message=(
                    f"job {job.id} on {job.nodes} nodes is below {job.spines} spines and "
                    f"{job.leaves} leaves"
                ),
                resources=(job.id,),
            )


def _no_paths(cluster: Cluster) -> NotRead:
    reason = (
        "the controller found no network-node-layer in HyperPod's resource_config.json"
        if cluster.uses_slurm
        else "no node has a label topology.k8s.aws/network-node-layer-1"
    )
    return NotRead("AWS's network nodes", reason)
