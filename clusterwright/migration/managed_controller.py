"""Groups, names and accounting for a platform whose service runs Slurm's controller (AWS PCS)."""

from __future__ import annotations

import re
from typing import Any, Final

from clusterwright.cluster_spec.problems import Path
from clusterwright.migration.results import Note
from clusterwright.migration.rewriting import Rewriting
from clusterwright.platforms.pcs.validation import NAME

LOGIN: Final = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
LONGEST_NAME: Final = 25
SHORTEST_NAME: Final = 3


def remove_controllers(work: Rewriting) -> None:
    """Remove the controller, or make it the login node that administers the cluster."""
    has_login = any(group.get("role") == "login" for group in work.compute)
    for index in reversed(range(len(work.compute))):
        group = work.compute[index]
        if group.get("role") not in ("controller", "system"):
            continue
        name, here = group.get("name"), ("compute", index)
        if has_login:
            work.editor.delete(here)
            work.moves.append(
                Note(f"compute[{name}]", f"the group `{name}` is removed: AWS runs the controller")
            )
            continue
        has_login = True
        work.editor.put((*here, "role"), "login")
        work.editor.put((*here, "count"), 1)
        if not any(other.get("name") == "login" for other in work.compute):
            work.editor.put((*here, "name"), "login")
        work.moves.append(
            Note(
                f"compute[{name}]",
                "becomes the login node: AWS runs the controller, and this node administers the "
                "cluster",
            )
        )
    logins = [i for i, group in enumerate(work.compute) if group.get("role") == "login"]
    if not logins:
        work.editor.put(("compute", len(work.compute)), dict(LOGIN))
        work.moves.append(Note("compute", "a login node is added, which administers the cluster"))
    elif work.compute[logins[0]].get("count") != 1:
        count = work.compute[logins[0]].get("count")
        work.editor.put(("compute", logins[0], "count"), 1)
        work.decisions.append(
            Note(
                f"compute[{work.compute[logins[0]].get('name')}].count",
                f"1 instead of {count}: one node of the first login group administers the cluster",
                "add a second login group for more login nodes",
            )
        )


def manage_accounting(work: Rewriting) -> None:
    """Accounting moves to the service; records of the old cluster stay with its database."""
    here: Path = ("slurm", "accounting", "kind")
    kind = work.editor.get(here)
    if kind not in ("rds", "local") and not (work.editor.get(("tenants",)) and kind != "managed"):
        return
    work.editor.put(("slurm", "accounting"), {"kind": "managed"})
    work.lost.append(
        Note(
            ".".join(str(part) for part in here),
            f"{kind or 'none'} becomes managed: PCS uses no database of yours, keeps job records "
            "itself, and deletes them with its cluster",
            "the old database keeps the records of the old cluster: `sacctmgr dump` and a backup "
            "before it is deleted",
        )
    )


def leave_managed_accounting(work: Rewriting, kind: str) -> None:
    """Accounting that PCS keeps stays there; the target has an own database, or none."""
    here: Path = ("slurm", "accounting", "kind")
    if work.editor.get(here) != "managed":
        return
    work.editor.put(("slurm", "accounting", "kind"), kind)
    work.lost.append(
        Note(
            ".".join(str(part) for part in here),
            f"managed becomes {kind}: job records stay with the PCS cluster, and are deleted with "
            "it",
            "before: `sacct --json --allusers --starttime=...` and `sacctmgr dump` to a file",
        )
    )


def rename(work: Rewriting) -> None:
    """Make names valid for PCS, in groups and partitions."""
    groups = {str(group.get("name")) for group in work.compute}
    renamed: dict[str, str] = {}
    for index, group in enumerate(work.compute):
        name = str(group.get("name"))
        if not NAME.fullmatch(name):
            renamed[name] = _valid(name, groups)
            groups.add(renamed[name])
            work.editor.put(("compute", index, "name"), renamed[name])
            work.moves.append(_note(f"compute[{name}].name", name, renamed[name]))
    slurm = work.editor.data.get("slurm")
    partitions: Any = slurm.get("partitions") if isinstance(slurm, dict) else None
    for index, partition in enumerate(partitions if isinstance(partitions, list) else []):
        if not isinstance(partition, dict):
            continue
        here: Path = ("slurm", "partitions", index)
        members = partition.get("groups")
        if isinstance(members, list) and any(member in renamed for member in members):
            work.editor.put((*here, "groups"), [renamed.get(one, one) for one in members])
        name = str(partition.get("name"))
        if not NAME.fullmatch(name):
            new = _valid(name, {str(one.get("name")) for one in partitions})
            work.editor.put((*here, "name"), new)
            work.moves.append(_note(f"slurm.partitions[{index}].name", name, new))


def _note(where: str, old: str, new: str) -> Note:
    return Note(
        where,
        f"`{old}` is renamed to `{new}`: on PCS names have {SHORTEST_NAME} to {LONGEST_NAME} "
        "letters, digits and hyphens, and begin with a letter",
        "update scripts that contain names of nodes, groups or partitions",
    )


def _valid(name: str, taken: set[str]) -> str:
    words = re.sub(r"[^A-Za-z0-9-]+", "-", name).strip("-")
    stem = words if words[:1].isalpha() else f"g-{words}".strip("-")
    stem = stem.ljust(SHORTEST_NAME, "x")[:LONGEST_NAME].rstrip("-")
    number, found = 2, stem
    while found in taken:
        found = f"{stem[: LONGEST_NAME - len(str(number)) - 1].rstrip('-')}-{number}"
        number += 1
    return found
