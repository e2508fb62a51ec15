"""Change the text of a spec for another platform: groups, capacity, names, unused keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from clusterwright.cluster_spec.document import parse_document
from clusterwright.cluster_spec.layering import lay, without_nulls
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem, SpecErrors, path_text
from clusterwright.cluster_spec.resolve import resolve
from clusterwright.cluster_spec.unused_fields import unused_fields
from clusterwright.migration import autoscaling, managed_controller
from clusterwright.migration.results import Note
from clusterwright.migration.rewriting import Rewriting
from clusterwright.migration.yaml_editor import Editor, flow
from clusterwright.platforms.capabilities import who_can
from clusterwright.platforms.parallelcluster import limits
from clusterwright.platforms.registry import HYPERPOD, KUBERNETES, traits_of

CONTROLLER: Final = {
    "name": "controller",
    "role": "controller",
    "instance_type": "m5.4xlarge",
    "count": 1,
}
SYSTEM_NODES: Final = 2
"""Cluster services run twice, so that one node may fail."""

_MAX_PASSES: Final = 8
_NEVER_REMOVED: Final = frozenset({"network", "identity", "budget", "run", "compute", "storage"})
"""Sections from which nothing is removed to make a file valid: a default address range or
a missing permissions boundary is the user's decision."""
_COUNTERPART: Final = {
    "training-plan": "a training plan stays with HyperPod until it ends, used or not; the "
    "counterpart on EC2 is a capacity block, purchased separately",
    "capacity-block": "a capacity block stays with EC2 until it ends, used or not; HyperPod's "
    "counterpart is a training plan, purchased separately",
    "reservation": "an EC2 capacity reservation is billed until it is cancelled; HyperPod's "
    "counterpart is a training plan",
}
_LENT: Final = "an interruptible capacity reservation can be used on AWS PCS only"


def rewrite(work: Rewriting) -> None:
    """Change the text of `work` in place."""
    work.editor.put(("platform",), work.target)
    traits = traits_of(work.target)
    if work.target in KUBERNETES:
        _system_groups(work)
    elif traits.service_runs_controller:
        managed_controller.remove_controllers(work)
    else:
        _controller(work)
    if traits.partitions_are_queues:
        _full_blocks(work)
    if traits.service_runs_controller:
        managed_controller.rename(work)
        managed_controller.manage_accounting(work)
    elif traits.partitions_are_queues:
        _names(work)
        _accounting(work)
    if traits.uses_slurm and not traits.managed_accounting:
        kind = "local" if traits.accounting_on_controller else "rds"
        managed_controller.leave_managed_accounting(work, kind)
    for index, group in enumerate(work.compute):
        _capacity(work, index, group)
        if group.get("placement_group") and work.target in HYPERPOD:
            _drop(work, ("compute", index, "placement_group"), "HyperPod places instances itself")
    _custom_image(work)
    _autoscaling(work)
    _unused_keys(work)
    _refused_keys(work)


def _full_blocks(work: Rewriting) -> None:
    """Karpenter uses a capacity block for pending pods; queues run all of it."""
    for index, group in enumerate(work.compute):
        capacity, most = group.get("capacity"), group.get("max_count")
        kind = capacity.get("kind") if isinstance(capacity, dict) else None
        if kind == "capacity-block" and isinstance(most, int):
            work.editor.put(("compute", index, "count"), most)
            work.editor.delete(("compute", index, "max_count"))
            work.decisions.append(
                Note(
                    _where(work, ("compute", index, "count")),
                    f"{most}, its max_count: all instances of a capacity block run from the start",
                )
            )


def _custom_image(work: Rewriting) -> None:
    """An image is built from its platform's: nodes of another platform would never join."""
    path: Path = ("image", "image_id")
    image = work.editor.data.get("image")
    if isinstance(image, dict) and image.get("image_id"):
        _drop(work, path, f"it is built for another platform; set one built for {work.target}")


def _autoscaling(work: Rewriting) -> None:
    """Keep Karpenter where the target's would have a group to scale; else it is lost."""
    if not autoscaling.can_move(work.editor, work.target):
        return
    cluster = candidate(work.editor.text, work.file)
    if cluster is not None and autoscaling.scales(cluster, work.target):
        work.moves.append(autoscaling.move(work.editor, work.target))


def reuse_buckets(work: Rewriting) -> None:
    """Use the buckets of the old cluster instead of creating them again."""
    storage = work.editor.data.get("storage")
    if not isinstance(storage, dict):
        return
    places: list[Path] = [("storage", "buckets", i) for i in range(_length(storage, "buckets"))]
    for index, fs in enumerate(storage.get("lustre") or []):
        count = _length(fs, "repositories")
        places += [("storage", "lustre", index, "repositories", i) for i in range(count)]
    for place in places:
        if work.editor.get((*place, "create")) is True:
            name = work.editor.get((*place, "name")) or work.editor.get((*place, "s3"))
            work.editor.delete((*place, "create"))
            work.moves.append(
                Note(
                    path_text((*place, "create")),
                    f"{name} is created by the old cluster and only used here",
                    "deploy the old cluster first, with `protection: retain`",
                )
            )


def _length(mapping: Any, key: str) -> int:
    found = mapping.get(key) if isinstance(mapping, dict) else None
    return len(found) if isinstance(found, list) else 0


def candidate(text: str, file: str) -> Cluster | None:
    """The cluster of a complete text, consistent or not; None where a value has a wrong type."""
    from pydantic import ValidationError

    resolved = resolve(lay((parse_document(text, file),)))
    try:
        return Cluster.model_validate(resolved.data)
    except ValidationError:
        return None


def _where(work: Rewriting, path: Path) -> str:
    """A path for messages, with the names of groups, as their indices change."""
    if path[0] == "compute" and len(path) > 1 and isinstance(path[1], int):
        group = work.compute[path[1]] if path[1] < len(work.compute) else {}
        rest = path_text(path[2:])
        return f"compute[{group.get('name', path[1])}]" + (f".{rest}" if rest else "")
    return path_text(path)


def _drop(work: Rewriting, path: Path, reason: str) -> None:
    value = work.editor.get(path)
    if value is None:
        work.editor.delete(path)
        return
    what = f"{flow(without_nulls(value))}: {reason}"
    work.lost.append(Note(_where(work, path), what if len(what) < 300 else reason))
    work.editor.delete(path)


def _system_groups(work: Rewriting) -> None:
    """The controller's nodes become system nodes; login nodes are removed."""
    for index in reversed(range(len(work.compute))):
        group = work.compute[index]
        if group.get("role") == "login":
            work.lost.append(
                Note(
                    _where(work, ("compute", index)),
                    f"login nodes `{group.get('name')}`: jobs are started with kubectl",
                    "give people access entries (`kubernetes.access`)",
                )
            )
            work.editor.delete(("compute", index))
    for index, group in enumerate(work.compute):
        if group.get("role") != "controller":
            continue
        work.editor.put(("compute", index, "role"), "system")
        if not any(other.get("name") == "system" for other in work.compute):
            work.editor.put(("compute", index, "name"), "system")
        count = group.get("count")
        if isinstance(count, int) and count < SYSTEM_NODES:
            work.editor.put(("compute", index, "count"), SYSTEM_NODES)
        work.moves.append(
            Note(
                _where(work, ("compute", index)),
                f"the controller becomes {SYSTEM_NODES} nodes with the role system, for the "
                "services of the cluster; EKS runs the control plane",
            )
        )


def _controller(work: Rewriting) -> None:
    systems = [i for i, g in enumerate(work.compute) if g.get("role") == "system"]
    for index in reversed(systems[1:]):
        name = work.compute[index].get("name")
        reason = f"nodes `{name}` for cluster services: Slurm has one controller"
        work.lost.append(Note(_where(work, ("compute", index)), reason))
        work.editor.delete(("compute", index))
    if systems:
        here: Path = ("compute", systems[0])
        work.editor.put((*here, "role"), "controller")
        if not any(g.get("name") == "controller" for g in work.compute):
            work.editor.put((*here, "name"), "controller")
        work.editor.put((*here, "count"), 1)
        work.moves.append(
            Note(_where(work, here), "one of the system nodes becomes the controller")
        )
    elif not any(g.get("role") == "controller" for g in work.compute):
        place = len(work.compute)
        work.editor.put(("compute", place), dict(CONTROLLER))
        work.moves.append(
            Note(_where(work, ("compute", place)), "a controller is added, which runs Slurm")
        )
    if systems and not any(g.get("role") == "login" for g in work.compute):
        work.moves.append(
            Note(
                "compute",
                "users log in to the controller",
                "add a group with the role login to avoid this",
            )
        )


def _names(work: Rewriting) -> None:
    """Make names valid for ParallelCluster, in groups and partitions."""
    taken = {str(group.get("name")) for group in work.compute}
    renamed: dict[str, str] = {}
    for index, group in enumerate(work.compute):
        name = str(group.get("name"))
        if group.get("role") == "controller" or _is_valid_name(name):
            continue
        new = _valid_name(name, taken)
        taken.add(new)
        renamed[name] = new
        work.editor.put(("compute", index, "name"), new)
        work.moves.append(
            Note(
                f"compute[{name}].name",
                f"`{name}` is renamed to `{new}`: ParallelCluster allows at most lowercase "
                "letters, "
                f"digits and hyphens, at most {limits.NAME_LENGTH}",
                "update scripts that contain names of nodes or groups",
            )
        )
    slurm = work.editor.data.get("slurm")
    partitions = slurm.get("partitions") if isinstance(slurm, dict) else None
    for index, partition in enumerate(partitions if isinstance(partitions, list) else []):
        groups = partition.get("groups") if isinstance(partition, dict) else None
        here: Path = ("slurm", "partitions", index)
        if isinstance(groups, list) and any(g in renamed for g in groups):
            work.editor.put((*here, "groups"), [renamed.get(g, g) for g in groups])
        name = str(partition.get("name")) if isinstance(partition, dict) else ""
        if name and not _is_valid_name(name):
            others = {str(p.get("name")) for p in partitions or [] if isinstance(p, dict)}
            work.editor.put((*here, "name"), _valid_name(name, others))
            work.moves.append(
                Note(
                    path_text((*here, "name")),
                    f"the partition `{name}` is renamed to `{_valid_name(name, others)}`",
                    "update job scripts that contain its name",
                )
            )


def _is_valid_name(name: str) -> bool:
    return (
        bool(re.match(limits.NAME_PATTERN, name))
        and len(name) <= limits.NAME_LENGTH
        and name != limits.NAME_KEPT
    )


def _valid_name(name: str, taken: set[str]) -> str:
    words = re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-")
    stem = (words if words[:1].isalpha() else f"g-{words}").strip("-")
    stem = stem[: limits.NAME_LENGTH].rstrip("-")
    number, found = 2, stem
    while found in taken or found == limits.NAME_KEPT:
        found = f"{stem[: limits.NAME_LENGTH - len(str(number)) - 1].rstrip('-')}-{number}"
        number += 1
    return found


def _accounting(work: Rewriting) -> None:
    kind = work.editor.get(("slurm", "accounting", "kind"))
    if work.editor.get(("tenants",)) and kind not in ("rds", "managed"):
        work.editor.put(("slurm", "accounting", "kind"), "rds")
        work.decisions.append(
            Note(
                "slurm.accounting.kind",
                "rds: tenants are accounts in a database, which the head node does not have",
                "or remove `tenants`",
            )
        )
    elif kind == "local":
        work.editor.put(("slurm", "accounting", "kind"), "none")
        work.lost.append(
            Note(
                "slurm.accounting.kind",
                "local: ParallelCluster has no database on its head node",
                "set kind: rds to keep a job history",
            )
        )


def _capacity(work: Rewriting, index: int, group: dict[str, Any]) -> None:
    capacity = group.get("capacity")
    if not isinstance(capacity, dict):
        return
    here: Path = ("compute", index, "capacity")
    if capacity.get("kind") != "mix":
        new = _replacement(work, here, capacity)
        if new is not None:
            work.editor.put(here, new)
        return
    shares = capacity.get("shares")
    if not isinstance(shares, list):
        return
    changed = False
    percents: dict[str, tuple[int, dict[str, Any]]] = {}
    for place, share in enumerate(shares):
        one = share.get("capacity") if isinstance(share, dict) else None
        percent = share.get("percent") if isinstance(share, dict) else None
        if not isinstance(one, dict) or not isinstance(percent, int):
            return
        new = _replacement(work, (*here, "shares", place, "capacity"), one)
        changed = changed or new is not None
        retained = one if new is None else new
        sum_before = percents.get(flow(retained), (0, retained))[0]
        percents[flow(retained)] = (sum_before + percent, retained)
    if not changed:
        return
    if len(percents) == 1:
        work.editor.put(here, next(iter(percents.values()))[1])
        return
    fallback = [
        kind
        for kind in capacity.get("fallback") or []
        if kind not in {retained["kind"] for _, retained in percents.values()}
    ]
    mixed: dict[str, Any] = {
        "kind": "mix",
        "shares": [{"percent": p, "capacity": retained} for p, retained in percents.values()],
    }
    if fallback:
        mixed["fallback"] = fallback
    work.editor.put(here, mixed)


def _replacement(work: Rewriting, path: Path, capacity: dict[str, Any]) -> dict[str, Any] | None:
    """The replacement of capacity that the platform does not support; None where it does."""
    kind = capacity.get("kind")
    rules = traits_of(work.target)
    if not isinstance(kind, str):
        return None
    if kind not in rules.capacity_kinds:
        reason, counterpart = rules.refused_capacity[kind], _COUNTERPART[kind]
        stays = who_can(f"capacity.{kind}")
    elif capacity.get("interruptible") and not rules.interruptible_reservations:
        # Without the key, EC2 would refuse to launch into the reservation.
        reason, counterpart, stays = _LENT, "its owner can reclaim it", "platform: pcs"
    else:
        return None
    bought = capacity.get("arn") or capacity.get("id")
    name = f"{kind} {bought}" if bought else kind
    work.lost.append(Note(_where(work, path), f"{name}: {reason}"))
    others = ", ".join(sorted(rules.capacity_kinds - {"on-demand"}))
    work.decisions.append(
        Note(
            _where(work, path),
            f"on-demand replaces the {kind}: {counterpart}",
            f"keep on-demand, or one of {others}; {kind} stays with {stays}",
        )
    )
    return {"kind": "on-demand"}


def _unused_keys(work: Rewriting) -> None:
    """Remove keys without an effect on the platform, by the table that refuses them."""
    for _ in range(_MAX_PASSES):
        cluster = candidate(work.editor.text, work.file)
        if cluster is None:
            return
        found = False
        for path, reason in sorted(_unused_fields(work, cluster), key=_last_first, reverse=True):
            if work.editor.has(path):
                found = True
                _drop(work, path, reason)
        if not found:
            return


def _last_first(item: tuple[Path, str]) -> tuple[tuple[int, str], ...]:
    return tuple((p, "") if isinstance(p, int) else (-1, p) for p in item[0])


def _unused_fields(work: Rewriting, cluster: Cluster) -> Iterator[tuple[Path, str]]:
    """Paths in the text, where a mixed group is one entry and several groups in the cluster."""
    names = {str(group.get("name")): i for i, group in enumerate(work.compute)}
    seen: set[Path] = set()
    for item in unused_fields(cluster):
        if not item.written:
            continue
        path = item.path
        if path[0] == "compute" and len(path) > 1 and isinstance(path[1], int):
            group = cluster.compute[path[1]]
            place = names.get(group.name, names.get(group.part_of or ""))
            if place is None:
                continue
            path = ("compute", place, *path[2:])
        if path not in seen:
            seen.add(path)
            yield path, item.reason


def _refused_keys(work: Rewriting) -> None:
    """Remove optional keys that the platform refuses, if that leaves fewer problems."""
    for _ in range(_MAX_PASSES * 4):
        before = _problems(work.editor.text, work.file)
        for wrong, reason in before.items():
            path = _entry_of(wrong)
            if not _is_optional(path) or not work.editor.has(path):
                continue
            trial = Editor(work.editor.text)
            trial.delete(path)
            after = _problems(trial.text, work.file)
            # Later entries of the list have another index afterwards.
            better = isinstance(path[-1], int) or (
                wrong not in after and set(after) <= set(before)
            )
            if better and len(after) < len(before):
                _drop(work, path, reason)
                break
        else:
            return


def _entry_of(path: Path) -> Path:
    """A chart or an example job that the platform lacks is removed as a whole."""
    if path[:2] == ("kubernetes", "workloads") and len(path) > 3 and path[2] in ("charts", "jobs"):
        return path[:4]
    return path


def _is_optional(path: Path) -> bool:
    if _entry_of(path) == path and len(path) == 4 and path[:2] == ("kubernetes", "workloads"):
        return True
    if path[:2] == ("network", "existing") and len(path) == 3:
        # Subnets of a database or a control plane that the platform lacks.
        return path[2] in ("database_subnet_ids", "control_plane_subnet_ids")
    if not path or isinstance(path[-1], int) or len(path) == 1:
        return False
    if path[0] in ("compute", "storage"):
        # Keys of groups and file systems, and home directories.
        return len(path) > 2 or path[1] == "home"
    return path[0] not in _NEVER_REMOVED


def _problems(text: str, file: str) -> dict[Path, str]:
    """The problems of a complete text, by path."""
    from clusterwright.platforms.loading import examine_cluster

    try:
        examine_cluster((parse_document(text, file),))
    except SpecErrors as errors:
        return {problem.path: _reason(problem) for problem in errors}
    return {}


def _reason(problem: Problem) -> str:
    where = f"{path_text(problem.path)}: "
    return problem.message.removeprefix(where)
