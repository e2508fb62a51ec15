"""The changes of a file that moves to another platform: groups, capacity, names, foreign keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from clusterwright.cluster_spec.document import parse_document
from clusterwright.cluster_spec.layering import lay, without_nulls
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem, SpecErrors, path_text
from clusterwright.cluster_spec.resolve import resolve
from clusterwright.cluster_spec.unused_fields import meaningless
from clusterwright.migration import autoscaling
from clusterwright.migration.results import Note
from clusterwright.migration.text_edit import Editor, flow
from clusterwright.platforms.capabilities import who_can
from clusterwright.platforms.parallelcluster import limits
from clusterwright.platforms.registry import HYPERPOD, KUBERNETES, PlatformName, traits_of

CONTROLLER: Final = {
    "name": "controller",
    "role": "controller",
    "instance_type": "m5.4xlarge",
    "count": 1,
}
SYSTEM_NODES: Final = 2
"""Cluster services run twice, so that one node may go."""

_ROUNDS: Final = 8
_NEVER_LEFT_OUT: Final = frozenset({"network", "identity", "budget", "run", "compute", "storage"})
"""Sections, and sections below which nothing is left out to make a file pass: a default range of
addresses or no boundary is a decision."""
_COUNTERPART: Final = {
    "training-plan": "a training plan stays with HyperPod until it ends, used or not; on EC2 the "
    "counterpart is a capacity block, bought anew",
    "capacity-block": "a capacity block stays with EC2 until it ends, used or not; HyperPod's "
    "counterpart is a training plan, bought anew",
    "reservation": "an EC2 capacity reservation is billed until it is cancelled; HyperPod's "
    "counterpart is a training plan",
}


@dataclass
class Rewriting:
    """A text on its way to the other platform, and what was said on the way."""

    editor: Editor
    target: PlatformName
    file: str
    lost: list[Note] = field(default_factory=list)
    moves: list[Note] = field(default_factory=list)
    decisions: list[Note] = field(default_factory=list)

    @property
    def compute(self) -> list[dict[str, Any]]:
        groups = self.editor.data.get("compute")
        return groups if isinstance(groups, list) else []


def rewrite(work: Rewriting) -> None:
    """Change the text of `work` in place."""
    work.editor.put(("platform",), work.target)
    if work.target in KUBERNETES:
        _system_groups(work)
    else:
        _controller(work)
    if traits_of(work.target).partitions_are_queues:
        _whole_blocks(work)
        _names(work)
        _accounting(work)
    for index, group in enumerate(work.compute):
        _capacity(work, index, group)
        if group.get("placement_group") and work.target in HYPERPOD:
            _drop(work, ("compute", index, "placement_group"), "HyperPod places instances itself")
    _own_image(work)
    _autoscaling(work)
    _foreign_keys(work)
    _refused_keys(work)


def _whole_blocks(work: Rewriting) -> None:
    """Karpenter fills a capacity block as pods wait; with ParallelCluster all of it runs."""
    for index, group in enumerate(work.compute):
        capacity, most = group.get("capacity"), group.get("max_count")
        kind = capacity.get("kind") if isinstance(capacity, dict) else None
        if kind == "capacity-block" and isinstance(most, int):
            work.editor.put(("compute", index, "count"), most)
            work.editor.delete(("compute", index, "max_count"))
            work.decisions.append(
                Note(
                    _where(work, ("compute", index, "count")),
                    f"{most}, its max_count: all of a capacity block runs, from the start",
                )
            )


def _own_image(work: Rewriting) -> None:
    """An image is built from its platform's own: nodes of another would boot and never join."""
    path: Path = ("image", "image_id")
    image = work.editor.data.get("image")
    if isinstance(image, dict) and image.get("image_id"):
        _drop(work, path, f"it is built from another platform's; name one made for {work.target}")


def _autoscaling(work: Rewriting) -> None:
    """Where a group of the other platform's Karpenter would have nodes to add; else it is lost."""
    if not autoscaling.can_move(work.editor, work.target):
        return
    cluster = candidate(work.editor.text, work.file)
    if cluster is not None and autoscaling.scales(cluster, work.target):
        work.moves.append(autoscaling.move(work.editor, work.target))


def beside(work: Rewriting) -> None:
    """Another cluster's buckets exist already where this one would make them again."""
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
                    f"{name} is made by the cluster that moves, and only used here",
                    "deploy that one first, with `protection: retain`",
                )
            )


def _length(mapping: Any, key: str) -> int:
    found = mapping.get(key) if isinstance(mapping, dict) else None
    return len(found) if isinstance(found, list) else 0


def candidate(text: str, file: str) -> Cluster | None:
    """The cluster of a whole text, consistent or not; None where its values do not even fit."""
    from pydantic import ValidationError

    resolved = resolve(lay((parse_document(text, file),)))
    try:
        return Cluster.model_validate(resolved.data)
    except ValidationError:
        return None


def _where(work: Rewriting, path: Path) -> str:
    """A path for people, who know groups by name: their places change on the way."""
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
    """The controller's nodes run cluster services; nobody logs in to a node to start jobs."""
    for index in reversed(range(len(work.compute))):
        group = work.compute[index]
        if group.get("role") == "login":
            work.lost.append(
                Note(
                    _where(work, ("compute", index)),
                    f"login nodes `{group.get('name')}`: jobs start with kubectl from anywhere",
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
                f"the controller's nodes become {SYSTEM_NODES} of the role system, for what "
                "Kubernetes needs beside jobs; its control plane is EKS's",
            )
        )


def _controller(work: Rewriting) -> None:
    systems = [i for i, g in enumerate(work.compute) if g.get("role") == "system"]
    for index in reversed(systems[1:]):
        name = work.compute[index].get("name")
        reason = f"nodes `{name}` for services of Kubernetes: Slurm has one controller"
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
            Note(_where(work, ("compute", place)), "a controller is added: Slurm runs there")
        )
    if systems and not any(g.get("role") == "login" for g in work.compute):
        work.moves.append(
            Note(
                "compute",
                "people log in to the controller",
                "add a group of the role login to spare it",
            )
        )


def _names(work: Rewriting) -> None:
    """Names that ParallelCluster takes, and the same names in partitions."""
    taken = {str(group.get("name")) for group in work.compute}
    renamed: dict[str, str] = {}
    for index, group in enumerate(work.compute):
        name = str(group.get("name"))
        if group.get("role") == "controller" or _is_name(name):
            continue
        new = _a_name(name, taken)
        taken.add(new)
        renamed[name] = new
        work.editor.put(("compute", index, "name"), new)
        work.moves.append(
            Note(
                f"compute[{name}].name",
                f"`{name}` is called `{new}`: ParallelCluster takes small letters, digits and "
                f"hyphens, {limits.NAME_LENGTH} at most",
                "scripts that name nodes or groups change too",
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
        if name and not _is_name(name):
            others = {str(p.get("name")) for p in partitions or [] if isinstance(p, dict)}
            work.editor.put((*here, "name"), _a_name(name, others))
            work.moves.append(
                Note(
                    path_text((*here, "name")),
                    f"the partition `{name}` is called `{_a_name(name, others)}`",
                    "job scripts that name it change too",
                )
            )


def _is_name(name: str) -> bool:
    return (
        bool(re.match(limits.NAME_PATTERN, name))
        and len(name) <= limits.NAME_LENGTH
        and name != limits.NAME_KEPT
    )


def _a_name(name: str, taken: set[str]) -> str:
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
    if work.editor.get(("tenants",)) and kind != "rds":
        work.editor.put(("slurm", "accounting", "kind"), "rds")
        work.decisions.append(
            Note(
                "slurm.accounting.kind",
                "rds: tenants are accounts in a database, and ParallelCluster has none of its own",
                "or leave `tenants` out",
            )
        )
    elif kind == "local":
        work.editor.put(("slurm", "accounting", "kind"), "none")
        work.lost.append(
            Note(
                "slurm.accounting.kind",
                "local: ParallelCluster has no database on its head node",
                "kind: rds keeps a history of jobs",
            )
        )


def _capacity(work: Rewriting, index: int, group: dict[str, Any]) -> None:
    capacity = group.get("capacity")
    if not isinstance(capacity, dict):
        return
    here: Path = ("compute", index, "capacity")
    if capacity.get("kind") != "mix":
        new = _taken(work, here, capacity)
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
        new = _taken(work, (*here, "shares", place, "capacity"), one)
        changed = changed or new is not None
        kept = one if new is None else new
        sum_before = percents.get(flow(kept), (0, kept))[0]
        percents[flow(kept)] = (sum_before + percent, kept)
    if not changed:
        return
    if len(percents) == 1:
        work.editor.put(here, next(iter(percents.values()))[1])
        return
    fallback = [
        kind
        for kind in capacity.get("fallback") or []
        if kind not in {kept["kind"] for _, kept in percents.values()}
    ]
    mixed: dict[str, Any] = {
        "kind": "mix",
        "shares": [{"percent": p, "capacity": kept} for p, kept in percents.values()],
    }
    if fallback:
        mixed["fallback"] = fallback
    work.editor.put(here, mixed)


def _taken(work: Rewriting, path: Path, capacity: dict[str, Any]) -> dict[str, Any] | None:
    """What stands in the place of capacity that the platform does not take; None where it does."""
    kind = capacity.get("kind")
    rules = traits_of(work.target)
    if not isinstance(kind, str) or kind in rules.capacity_kinds:
        return None
    bought = capacity.get("arn") or capacity.get("id")
    name = f"{kind} {bought}" if bought else kind
    work.lost.append(Note(_where(work, path), f"{name}: {rules.refused_capacity[kind]}"))
    others = ", ".join(sorted(rules.capacity_kinds - {"on-demand"}))
    work.decisions.append(
        Note(
            _where(work, path),
            f"on-demand stands in for the {kind}: {_COUNTERPART[kind]}",
            f"keep on-demand, or one of {others}; {kind} stays with {who_can(f'capacity.{kind}')}",
        )
    )
    return {"kind": "on-demand"}


def _foreign_keys(work: Rewriting) -> None:
    """Keys that mean nothing on the platform, by the same table that refuses them."""
    for _ in range(_ROUNDS):
        cluster = candidate(work.editor.text, work.file)
        if cluster is None:
            return
        found = False
        for path, reason in sorted(_meaningless(work, cluster), key=_last_first, reverse=True):
            if work.editor.has(path):
                found = True
                _drop(work, path, reason)
        if not found:
            return


def _last_first(item: tuple[Path, str]) -> tuple[tuple[int, str], ...]:
    return tuple((p, "") if isinstance(p, int) else (-1, p) for p in item[0])


def _meaningless(work: Rewriting, cluster: Cluster) -> Iterator[tuple[Path, str]]:
    """Paths in the text; a mix stands there once and in the cluster as several groups."""
    names = {str(group.get("name")): i for i, group in enumerate(work.compute)}
    seen: set[Path] = set()
    for item in meaningless(cluster):
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
    """Optional keys that the platform refuses: where all is well without one, it is left out."""
    for _ in range(_ROUNDS * 4):
        before = _problems(work.editor.text, work.file)
        for wrong, reason in before.items():
            path = _entry_of(wrong)
            if not _may_go(path) or not work.editor.has(path):
                continue
            trial = Editor(work.editor.text)
            trial.delete(path)
            after = _problems(trial.text, work.file)
            # Entries of a list that follow have another place afterwards.
            better = isinstance(path[-1], int) or (
                wrong not in after and set(after) <= set(before)
            )
            if better and len(after) < len(before):
                _drop(work, path, reason)
                break
        else:
            return


def _entry_of(path: Path) -> Path:
    """A chart or an example job that the platform does not have goes as a whole."""
    if path[:2] == ("kubernetes", "workloads") and len(path) > 3 and path[2] in ("charts", "jobs"):
        return path[:4]
    return path


def _may_go(path: Path) -> bool:
    if _entry_of(path) == path and len(path) == 4 and path[:2] == ("kubernetes", "workloads"):
        return True
    if path[:2] == ("network", "existing") and len(path) == 3:
        # Subnets of a database or a control plane that the platform does not have.
        return path[2] in ("database_subnet_ids", "control_plane_subnet_ids")
    if not path or isinstance(path[-1], int) or len(path) == 1:
        return False
    if path[0] in ("compute", "storage"):
        # Keys of groups and file systems, and home directories.
        return len(path) > 2 or path[1] == "home"
    return path[0] not in _NEVER_LEFT_OUT


def _problems(text: str, file: str) -> dict[Path, str]:
    """What is wrong with a whole text, by path."""
    from clusterwright.platforms.loading import examine_cluster

    try:
        examine_cluster((parse_document(text, file),))
    except SpecErrors as errors:
        return {problem.path: _reason(problem) for problem in errors}
    return {}


def _reason(problem: Problem) -> str:
    where = f"{path_text(problem.path)}: "
    return problem.message.removeprefix(where)
