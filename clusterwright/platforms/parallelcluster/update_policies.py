"""Requirements and effects of a configuration change on an existing cluster.

Each key has an update policy, which may require a stopped compute fleet or removed login nodes, or
allow no change at all. `update_policies.json` is the list of aws-parallelcluster 3.16.1
(`schemas/cluster_schema.py`; items of a list are identified by the key in brackets), and the
conditions here are those of its `config/update_policy.py`, both read on 2026-11-20.
`tests/clients/test_pcluster_updates.py` compares them with the package.

    pcluster update-compute-fleet --cluster-name NAME --status STOP_REQUESTED

stops the fleet; a cluster that CloudFormation deploys is not started again by it.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, Literal, NamedTuple

Need = Literal[
    "nothing",
    "fleet-stopped",
    "login-nodes-stopped",
    "fleet-and-login-nodes-stopped",
    "terminate-strategy",
    "unsupported",
]

ACTIONS: Final[dict[Need, str]] = {
    "nothing": "the update can be applied directly",
    "fleet-stopped": "stop the compute fleet first: "
    "`pcluster update-compute-fleet --status STOP_REQUESTED`",
    "login-nodes-stopped": "first apply an update with count: 0 of the login groups",
    "fleet-and-login-nodes-stopped": (
        "first stop the compute fleet and set count: 0 of the login groups"
    ),
    "terminate-strategy": (
        "stop the compute fleet first, or set `parallelcluster: "
        "{queue_update_strategy: terminate}`, which ends jobs on the removed nodes"
    ),
    "unsupported": "no update supports it: create a new cluster, or restore the value",
}
"""The required action for each need."""

DEFAULT_STRATEGY: Final = "COMPUTE_FLEET_STOP"
_DEFAULT_COUNTS = {"MaxCount": 10, "MinCount": 0}
_LIVE_STORAGE = ("Efs", "FsxLustre", "FsxOntap", "FsxOpenZfs", "FileCache")
_EXTERNAL_KEYS = ("VolumeId", "FileSystemId", "FileCacheId")


@dataclass(frozen=True)
class KeyChange:
    """A key that differs.

    Attributes
    ----------
    path:
        The path in ParallelCluster's notation: `Scheduling.SlurmQueues[workers].CapacityType`. For
        an added or removed item, that of the item.
    before, after:
        The values; None if the key or the item is absent.
    policy:
        ParallelCluster's name of the update policy.
    needs:
        What must be done first; see `ACTIONS`.
    replaces_nodes:
        Whether the update replaces running nodes of the queue: when their jobs have ended
        (strategy DRAIN) or at once (TERMINATE).
    """

    path: str
    before: Any
    after: Any
    policy: str
    needs: Need
    replaces_nodes: bool = False

    @property
    def action(self) -> str:
        """Return the required action."""
        return ACTIONS[self.needs]


class _Raw(NamedTuple):
    parents: tuple[str, ...]
    key: str
    before: Any
    after: Any
    policy: str
    in_list: bool


class _Update(NamedTuple):
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    strategy: str
    fleet_runs: bool
    region: str
    raw: tuple[_Raw, ...]


def effects(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    queue_update_strategy: str | None = None,
    *,
    fleet_runs: bool = True,
) -> list[KeyChange]:
    """Return every key that differs between two configurations, in the order of the schema.

    Parameters
    ----------
    queue_update_strategy:
        DRAIN, TERMINATE or COMPUTE_FLEET_STOP; that of `after` if None, as in the package.
    fleet_runs:
        Whether the compute fleet runs. Login nodes run where a pool of `before` has any.

    Raises
    ------
    KeyError
        A key is not in ParallelCluster's schema.
    """
    settings = after.get("Scheduling", {}).get("SlurmSettings") or {}
    strategy = queue_update_strategy or settings.get("QueueUpdateStrategy") or DEFAULT_STRATEGY
    raw = tuple(_section(before, after, _tree(), ()))
    update = _Update(before, after, strategy, fleet_runs, str(after.get("Region", "")), raw)
    return [_change(one, update) for one in raw]


def policies() -> dict[str, str]:
    """Return the update policy of each key: `HeadNode/InstanceType` -> UNSUPPORTED."""
    text = files(__package__).joinpath("update_policies.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)["policies"]
    return found


class _Node(NamedTuple):
    policy: str
    item_key: str | None
    """Return the key that identifies items of a list; None if it is not a list of sections."""
    below: dict[str, _Node]


@functools.cache
def _tree() -> dict[str, _Node]:
    root: dict[str, _Node] = {}
    for path, policy in policies().items():
        here = root
        *parents, last = path.split("/")
        for part in parents:
            here = here[part.partition("[")[0]].below
        name, _, item_key = last.partition("[")
        here[name] = _Node(policy, item_key.rstrip("]") or None, {})
    return root


def _section(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    nodes: Mapping[str, _Node],
    parents: tuple[str, ...],
) -> Iterator[_Raw]:
    unknown = (before.keys() | after.keys()) - nodes.keys() - {"Sequence"}
    if unknown:
        raise KeyError(".".join((*parents, sorted(unknown)[0])))
    for name, node in nodes.items():
        old, new = before.get(name), after.get(name)
        if node.item_key is not None:
            yield from _items(old or [], new or [], node, name, parents)
        elif node.below:
            if (old and new) or ((old or new) and node.policy == "IGNORED"):
                yield from _section(old or {}, new or {}, node.below, (*parents, name))
            elif old or new:
                yield _Raw(parents, name, old or None, new or None, node.policy, False)
        else:
            if name == "Script":
                # Several scripts replace a single one.
                old, new = old or before.get("Sequence"), new or after.get("Sequence")
            if old != new:
                yield _Raw(parents, name, old, new, node.policy, False)


def _items(
    before: list[Mapping[str, Any]],
    after: list[Mapping[str, Any]],
    node: _Node,
    name: str,
    parents: tuple[str, ...],
) -> Iterator[_Raw]:
    key = str(node.item_key)
    old = {item.get(key): item for item in before}
    new = {item.get(key): item for item in after}
    for identity, item in new.items():
        if identity in old:
            yield from _section(old[identity], item, node.below, (*parents, f"{name}[{identity}]"))
        else:
            yield _Raw(parents, name, None, item, node.policy, True)
    for identity, item in old.items():
        if identity not in new:
            yield _Raw(parents, name, item, None, node.policy, True)


def _change(raw: _Raw, update: _Update) -> KeyChange:
    name = raw.key
    if raw.in_list:
        item = raw.after if raw.before is None else raw.before
        name = f"{name}[{_identity(item)}]"
    needs = _CONDITIONS[raw.policy](raw, update)
    replaces = (
        needs == "nothing"
        and update.fleet_runs
        and _in_queues(raw)
        and raw.policy in _REPLACING
        # A new queue has no nodes yet; a new key changes the nodes of its queue.
        and not (raw.in_list and raw.before is None)
        and update.strategy != DEFAULT_STRATEGY
    )
    path = ".".join((*raw.parents, name))
    return KeyChange(path, raw.before, raw.after, raw.policy, needs, replaces)


def _identity(item: Mapping[str, Any]) -> str:
    for key in ("Name", "Key", "Policy", "BucketName", "InstanceType"):
        if key in item:
            return str(item[key])
    return "?"


# --- conditions of the policies, as in config/update_policy.py

_REPLACING = (
    "QUEUE_UPDATE_STRATEGY",
    "MANAGED_PLACEMENT_GROUP",
    "MANAGED_FSX",
)


def _nothing(_: _Raw, __: _Update) -> Need:
    return "nothing"


def _unsupported(_: _Raw, __: _Update) -> Need:
    return "unsupported"


def _fleet(_: _Raw, update: _Update) -> Need:
    return "fleet-stopped" if update.fleet_runs else "nothing"


def _fleet_on_remove(raw: _Raw, update: _Update) -> Need:
    if raw.in_list and (_in_queues(raw) or raw.key == "SlurmQueues") and raw.before is None:
        return "nothing"
    return _fleet(raw, update)


def _by_strategy(raw: _Raw, update: _Update) -> Need:
    if _in_queues(raw) and update.strategy != DEFAULT_STRATEGY:
        return "nothing"
    return _fleet(raw, update)


def _resize(raw: _Raw, update: _Update) -> Need:
    """Queues, compute resources and numbers of nodes: increases are always allowed."""
    if not update.fleet_runs:
        return "nothing"
    added = raw.in_list and raw.before is None
    if (_in_queues(raw) or raw.key == "SlurmQueues") and (added or update.strategy == "TERMINATE"):
        return "nothing"
    if raw.key == "MaxCount" and _grown(raw) >= 0:
        return "nothing"
    if raw.key == "MinCount":
        for other in update.raw:
            if other.key == "MaxCount" and other.parents == raw.parents:
                # The maximum increases at most by as many nodes as the minimum.
                return "nothing" if _grown(other) >= _grown(raw) else "terminate-strategy"
    return "terminate-strategy"


def _placement(raw: _Raw, update: _Update) -> Need:
    """A placement group created by ParallelCluster is deleted only with a stopped fleet."""
    if update.fleet_runs and (
        _managed_group(raw, update.before) and not _managed_group(raw, update.after)
    ):
        return "fleet-stopped"
    return _by_strategy(raw, update)


def _managed_fsx(raw: _Raw, update: _Update) -> Need:
    """A file system created by ParallelCluster would be replaced with its data."""
    if _own_file_systems(update.before) & _own_file_systems(update.after):
        return "unsupported"
    if _in_queues(raw) and update.fleet_runs and update.strategy == DEFAULT_STRATEGY:
        kept = isinstance(raw.before, list) and all(v in (raw.after or ()) for v in raw.before)
        return "nothing" if kept else "fleet-stopped"
    return _by_strategy(raw, update)


def _shared_storage(raw: _Raw, update: _Update) -> Need:
    item = raw.after if raw.before is None else raw.before
    if not raw.in_list or str(item.get("MountDir", "")).strip("/") == "home":
        # A changed mount path of an entry: the package does not handle it, and fails.
        return "unsupported"
    kind = item.get("StorageType")
    below = item.get(f"{kind}Settings") or {}
    if kind in _LIVE_STORAGE and any(key in below for key in _EXTERNAL_KEYS):
        return "nothing"
    fleet = update.fleet_runs and update.strategy == DEFAULT_STRATEGY
    return _stopped(fleet=fleet, login=bool(_running_pools(update.before)))


def _pools(raw: _Raw, update: _Update) -> Need:
    return "nothing" if raw.before is None else _login(raw, update)


def _login(_: _Raw, update: _Update) -> Need:
    return _stopped(fleet=False, login=bool(_running_pools(update.before)))


def _login_pool(raw: _Raw, update: _Update) -> Need:
    here = [part for part in raw.parents if part.startswith("Pools[")]
    pool = here[0][len("Pools[") : -1] if here else ""
    return _stopped(fleet=False, login=pool in _running_pools(update.before))


def _fleet_and_login(_: _Raw, update: _Update) -> Need:
    return _stopped(fleet=update.fleet_runs, login=bool(_running_pools(update.before)))


def _unless_isolated(_: _Raw, update: _Update) -> Need:
    return "unsupported" if update.region.startswith("us-iso") else "nothing"


_CONDITIONS = {
    "IGNORED": _nothing,
    "SUPPORTED": _nothing,
    "UNSUPPORTED": _unsupported,
    "READ_ONLY_RESOURCE_BUCKET": _unsupported,
    # Three of its attributes could be changed, but the key is never rendered here.
    "EXTRA_CHEF_ATTRIBUTES": _unsupported,
    "SUPPORTED_UNLESS_ADC": _unless_isolated,
    "QUEUE_UPDATE_STRATEGY": _by_strategy,
    "RESIZE_UPDATE_STRATEGY_ON_REMOVE": _resize,
    "MANAGED_PLACEMENT_GROUP": _placement,
    "MANAGED_FSX": _managed_fsx,
    "SHARED_STORAGE_UPDATE_POLICY": _shared_storage,
    "COMPUTE_FLEET_STOP": _fleet,
    "COMPUTE_FLEET_STOP_ON_REMOVE": _fleet_on_remove,
    "LOGIN_NODES_POOLS_UPDATE_POLICY": _pools,
    "LOGIN_NODES_STOP": _login,
    "LOGIN_NODES_POOL_STOP": _login_pool,
    "COMPUTE_AND_LOGIN_NODES_STOP": _fleet_and_login,
}


def _stopped(*, fleet: bool, login: bool) -> Need:
    if fleet:
        return "fleet-and-login-nodes-stopped" if login else "fleet-stopped"
    return "login-nodes-stopped" if login else "nothing"


def _in_queues(raw: _Raw) -> bool:
    return any(part.startswith("SlurmQueues[") for part in raw.parents)


def _grown(raw: _Raw) -> int:
    before, after = (
        _DEFAULT_COUNTS[raw.key] if value is None else int(value)
        for value in (raw.before, raw.after)
    )
    return after - before


def _running_pools(configuration: Mapping[str, Any]) -> set[str]:
    found = (configuration.get("LoginNodes") or {}).get("Pools") or []
    return {pool["Name"] for pool in found if int(pool.get("Count", 0))}


def _own_file_systems(configuration: Mapping[str, Any]) -> set[str]:
    return {
        entry["Name"]
        for entry in configuration.get("SharedStorage") or []
        if entry.get("StorageType") == "FsxLustre"
        and "FileSystemId" not in (entry.get("FsxLustreSettings") or {})
    }


def _managed_group(raw: _Raw, configuration: Mapping[str, Any]) -> bool:
    """Return whether the changed compute resource has a placement group created by
    ParallelCluster.
    """
    queues = (configuration.get("Scheduling") or {}).get("SlurmQueues") or []
    queue = _named(raw, "SlurmQueues", queues)
    resource = _named(raw, "ComputeResources", queue.get("ComputeResources") or [])
    for holder in (resource, queue):
        group = (holder.get("Networking") or {}).get("PlacementGroup")
        if group:
            return bool(group.get("Enabled")) and not (group.get("Name") or group.get("Id"))
    return False


def _named(raw: _Raw, kind: str, items: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    for part in raw.parents:
        found = re.fullmatch(rf"{kind}\[(.*)\]", part)
        if found:
            return next((item for item in items if item.get("Name") == found.group(1)), {})
    return {}
