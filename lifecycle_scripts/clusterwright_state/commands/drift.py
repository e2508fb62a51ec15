"""`clusterwright drift` on a node: what nodes can compare; the rest needs AWS and the file.

Compared are the inputs of this node and the version of its node program with those that the
controller published, the files of the node program with what was installed, the slurm.conf of
this node with what slurmctld runs, and the versions of slurmd with slurmctld's.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import Any, Optional

from clusterwright_common import installation
from clusterwright_common.probe import Probe

from clusterwright_state import slurm_view
from clusterwright_state.commands import published
from clusterwright_state.commands.view import View, head, without_platform

_SHOWN = 5
_TIMEOUT_SECONDS = 20.0
_DEADLINE_SECONDS = 60.0
_SLURM_CONF = "the running Slurm configuration"
_INPUTS = "the inputs of the node program"
_FILES = "the installed files of the node program"
# Lines of these are not in `scontrol show config`, or in another form.
_OTHER_FORM = re.compile(
    r"(?:nodename|nodeset|partitionname|downnodes|frontendname|slurmctldhost|.*(?:pass|key|secret"
    r"|token|authaltparam|authinfo).*)$"
)
_UNIT = re.compile(r" (?:sec|min|hours)$|\(\d+\)$")
# Days with hours, or at least minutes and seconds (sbatch, `--time`).
_TIME = re.compile(r"(?:(\d+)-(\d+)(?::(\d+)(?::(\d+))?)?|(?:(\d+):)?(\d+):(\d+))$")
_NUMBER = re.compile(r"\d+$")
_ENDLESS = ("-1", "infinite", "unlimited")
# slurm.conf, `SlurmctldDebug`: these are the names of 0 to 9.
_LEVELS = (
    "quiet", "fatal", "error", "info", "verbose", "debug", "debug2", "debug3", "debug4", "debug5",
)  # fmt: skip
_VERSION = re.compile(r"NodeName=(\S+).*? Version=(\S+)")
_FREE_TEXT = re.compile(r" (?:Reason|Comment|Extra)=.*")
_INCLUDE = re.compile(r"include\s+(\S+)$", re.IGNORECASE)
_Found = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def answer(view: View, root: str = "/") -> dict[str, Any]:
    """The document of the command."""
    probe = Probe(root, _DEADLINE_SECONDS)
    differences: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    for compare in (_of_inputs, _of_files, _of_slurm_conf, _of_versions):
        differs, unknown = compare(view, probe)
        differences += differs
        parts += unknown
    parts.append(
        _part(
            "the file, the stacks and what AWS has (rules, routes, endpoints, launch templates, "
            "images, uploaded scripts)",
            "neither the file nor the templates are on a node, which has no right to read AWS",
            "from a workstation: clusterwright drift FILE",
        )
    )
    code = 1 if differences else 2
    return {
        **without_platform(head(view.setting, "drift", code)),
        "stacks": [],
        "differences": differences,
        "not_compared": parts,
    }


def _of_inputs(view: View, _: Probe) -> _Found:
    setting = view.setting
    if not setting.on_hyperpod:
        reason = "groups have files of their own on this platform"
        return [], [_part(_INPUTS, reason, "from a workstation: clusterwright drift FILE")]
    try:
        theirs = published.inputs_sha256(setting)
    except published.NotReadable as error:
        return [], [_part(_INPUTS, str(error))]
    if setting.inputs_sha256 is None or theirs is None:
        which = "this node" if setting.inputs_sha256 is None else setting.administrator
        return [], [_part(_INPUTS, f"{which} does not state their digest")]
    if setting.inputs_sha256 == theirs:
        return [], []
    return [_differs(_here(), "inputs_sha256", setting.inputs_sha256, theirs, "node-program")], []


def _of_files(view: View, probe: Probe) -> _Found:
    """The files against the records of their installation, and their version."""
    try:
        ours = installation.read(probe.path("/"))
    except OSError as error:
        return [], [_part(_FILES, f"they cannot be read: {error}", "as root")]
    if ours is None:
        return [], [_part(_FILES, f"{installation.RECORDS} has no records of them")]
    found = [
        _differs(_here(), one["path"], one["sha256"], one["recorded_sha256"], "node-program")
        for one in ours.changes
    ]
    if view.setting.administers:
        return found, []  # it is the one that the others are compared with
    try:
        theirs = published.program_sha256(view.setting)
    except published.NotReadable as error:
        return found, [_part(f"{_FILES}: their version", str(error))]
    if theirs is None:
        reason = f"{view.setting.administrator} does not state one version"
        return found, [_part(f"{_FILES}: their version", reason)]
    for version, packages in sorted(ours.versions.items()):
        if version != theirs:
            part = "" if len(ours.versions) == 1 else f": {', '.join(packages)}"
            where = f"program_sha256{part}"
            found.append(_differs(_here(), where, version, theirs, "node-program"))
    return found, []


def _here() -> str:
    return os.uname().nodename.partition(".")[0]


def _of_slurm_conf(view: View, probe: Probe) -> _Found:
    """By the hash that Slurm itself compares; the keys say what it is."""
    running = (view.state["configuration"] or {}).get("slurm_conf")
    if running is None:
        return [], [_part(_SLURM_CONF, "slurmctld does not answer")]
    compared = str(running.get("HASH_VAL", ""))
    if compared.startswith("Match"):
        return [], []
    if not compared.startswith("Different"):
        return [], [_part(_SLURM_CONF, "Slurm does not compare it (HASH_VAL)")]
    path = next((one for one in slurm_view.CONFIGURATIONS if probe.read(one)), None)
    file = _settings(probe, path) if path is not None else {}
    there = {name.lower(): value for name, value in running.items()}
    found = [
        _differs("slurm.conf", name, there[name.lower()], value, "slurm-configuration")
        for name, value in file.items()
        if name.lower() in there and not _same(name, there[name.lower()], value)
    ]
    if not found:
        what = "the configuration that slurmctld runs"
        found = [_differs("slurm.conf", "", what, path or "of this node", "slurm-configuration")]
    return found, []


def _of_versions(view: View, probe: Probe) -> _Found:
    what = "the versions of slurmd"
    running = (view.state["configuration"] or {}).get("slurm_conf") or {}
    ours = running.get("SLURM_VERSION")
    shown = probe.run(["scontrol", "--oneliner", "show", "nodes"], _TIMEOUT_SECONDS)
    if not shown.ok or ours is None:
        return [], [_part(what, shown.summary if not shown.ok else "slurmctld does not answer")]
    others: dict[str, list[str]] = {}
    for line in shown.stdout.splitlines():
        node = _VERSION.match(_FREE_TEXT.sub("", line))
        if node and node[2] not in ("(null)", ours):  # nodes that have registered have one
            others.setdefault(node[2], []).append(node[1])
    found = []
    for version, names in sorted(others.items()):
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        named = ", ".join(names[:_SHOWN]) + more
        found.append(_differs(named, "slurmd", version, str(ours), "slurm-configuration"))
    return found, []


def _settings(probe: Probe, path: str, depth: int = 0) -> dict[str, str]:
    """The settings of slurm.conf and of the files that it includes, which may be missing."""
    found: dict[str, str] = {}
    for line in (probe.read(path) or "").splitlines():
        text = line.partition("#")[0].strip()
        included = _INCLUDE.match(text)
        if included and depth == 0:
            found.update(_settings(probe, posixpath.join(posixpath.dirname(path), included[1]), 1))
        key, equals, value = text.partition("=")
        if equals and not _OTHER_FORM.match(key.strip().lower()):
            found[key.strip()] = value.strip().strip('"')
    return found


def _same(name: str, running: str, file: str) -> bool:
    """Whether what is shown may be what the file has.

    Slurm shows words that a setting implies too, and some values in another form: where the forms
    cannot be compared, nothing is certain.
    """
    shown, written = _words(running), _words(file)
    if written <= shown:
        return True
    ours, theirs = _quantity(name, running), _quantity(name, file)
    if ours is None and theirs is None:
        return False
    if ours is None or theirs is None:
        return True  # such as `SlurmUser=401`, which is shown as `slurm(401)`
    (here, is_time), (there, is_time_too) = ours, theirs
    if is_time != is_time_too:
        number, time = (there, here) if is_time else (here, there)
        return time in (number, number * 60)  # of seconds, or of minutes
    return here == there or {here, there} == {0.0, float("inf")}  # 0 is no limit for some


def _quantity(name: str, text: str) -> Optional[tuple[float, bool]]:
    """A number, or a time in seconds and True; None for other values."""
    plain = _plain(text)
    if plain in _ENDLESS:
        return float("inf"), False
    if name.lower().endswith("debug") and plain in _LEVELS:
        return float(_LEVELS.index(plain)), False
    if _NUMBER.match(plain):
        return float(plain), False
    time = _TIME.match(plain)
    if time is None:
        return None
    parts = [int(part or 0) for part in time.groups()]
    days, hours, minutes, seconds = parts[:4] if time[1] else [0, *parts[4:]]
    return ((days * 24.0 + hours) * 60 + minutes) * 60 + seconds, True


def _words(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in _plain(text).split(",") if part.strip())


def _plain(text: str) -> str:
    return _UNIT.sub("", text.strip().lower())


def _differs(
    resource: str, path: str, deployed: Optional[str], file: Optional[str], kind: str
) -> dict[str, Any]:
    return {
        "resource": resource,
        "path": path,
        "deployed": deployed,
        "file": file,
        "kind": kind,
    }


def _part(what: str, reason: str, hint: Optional[str] = None) -> dict[str, Any]:
    return {"what": what, "reason": reason, "hint": hint}
