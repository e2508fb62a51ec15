"""QOS, accounts, preemption, timeouts and spares of Slurm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.slurm import Slurm
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.suggest import did_you_mean

DEFAULT_QOS = "normal"
"""The QOS that Slurm creates."""

RESERVED_PREFIX = "cw-partition-"
"""Prefix of the node program's QOS that keep spares free."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    slurm = cluster.slurm
    if slurm.accounting.kind != "none":
        yield from _names(slurm)
        yield from _references(slurm)
    scripted = slurm.configuration == "scripted"
    if scripted or not cluster.on_hyperpod:
        yield from _preemption(slurm)
        yield from _timeouts(slurm)
    if scripted:  # in the managed configuration a reservation keeps them
        yield from _spares(cluster)


def _names(slurm: Slurm) -> Iterator[Problem]:
    for key, names in (
        ("qos", [qos.name for qos in slurm.qos]),
        ("accounts", [account.name for account in slurm.accounts]),
    ):
        seen: dict[str, Path] = {}
        for index, name in enumerate(names):
            path: Path = ("slurm", key, index, "name")
            if name in seen:
                yield Problem(f"duplicate `{name}`", path, other_path=seen[name])
            seen.setdefault(name, path)
            if key == "qos" and (name == DEFAULT_QOS or name.startswith(RESERVED_PREFIX)):
                yield Problem(f"the QOS `{name}` is reserved", path)
            if key == "accounts" and name == "root":
                yield Problem("the account `root` is reserved by Slurm", path)


def _references(slurm: Slurm) -> Iterator[Problem]:
    known = [DEFAULT_QOS, *(qos.name for qos in slurm.qos)]
    named: list[tuple[Path, str]] = []
    for index, qos in enumerate(slurm.qos):
        for position, name in enumerate(qos.preempts):
            named.append((("slurm", "qos", index, "preempts", position), name))
    for index, account in enumerate(slurm.accounts):
        for position, name in enumerate(account.qos):
            named.append((("slurm", "accounts", index, "qos", position), name))
    for path, name in named:
        if name not in known:
            yield Problem(
                f"QOS `{name}` does not exist",
                path,
                hint=did_you_mean(name, known),
                rests_on=_qos_paths(slurm),
            )


def _qos_paths(slurm: Slurm) -> tuple[Path, ...]:
    """Return the paths of QOS names and of the QOS they preempt."""
    entries: list[Path] = [("slurm", "qos", index) for index in range(len(slurm.qos))]
    below = [(*entry, key) for entry in entries for key in ("name", "preempts")]
    return (("slurm", "qos"), *below)


def _preemption(slurm: Slurm) -> Iterator[Problem]:
    preempting = [index for index, qos in enumerate(slurm.qos) if qos.preempts]
    if slurm.preemption == "off":
        for index in preempting:
            yield Problem(
                "no job is preempted while preemption is off",
                ("slurm", "qos", index, "preempts"),
                hint="preemption: requeue",
                other_path=("slurm", "preemption"),
            )
    elif not preempting:
        yield Problem(
            f"preemption is {slurm.preemption}, but no QOS preempts another",
            ("slurm", "preemption"),
            hint="preempts: [...] in one of slurm.qos",
            rests_on=_qos_paths(slurm),
        )
    preempted = {name for qos in slurm.qos for name in qos.preempts}
    for index, qos in enumerate(slurm.qos):
        if qos.grace_seconds and qos.name not in preempted:
            yield Problem(
                f"`{qos.name}` is not preempted by any QOS, so grace_seconds has no effect",
                ("slurm", "qos", index, "grace_seconds"),
                rests_on=_qos_paths(slurm),
            )
    yield from _cycles(slurm)


def _cycles(slurm: Slurm) -> Iterator[Problem]:
    """Slurm's database refuses QOS that preempt each other."""
    below = {item.name: item.preempts for item in slurm.qos}
    for index, item in enumerate(slurm.qos):
        if _reaches(below, item.name):
            yield Problem(
                f"`{item.name}` would preempt itself",
                ("slurm", "qos", index, "preempts"),
                rests_on=_qos_paths(slurm),
            )


def _reaches(below: Mapping[str, Sequence[str]], name: str) -> bool:
    seen: set[str] = set()
    waiting = list(below.get(name, ()))
    while waiting:
        here = waiting.pop()
        if here == name:
            return True
        if here not in seen:
            seen.add(here)
            waiting += below.get(here, ())
    return False


def _timeouts(slurm: Slurm) -> Iterator[Problem]:
    timeouts = slurm.timeouts
    message: Path = ("slurm", "timeouts", "message_seconds")
    for key, value in (
        ("node_down_seconds", timeouts.node_down_seconds),
        ("credential_seconds", timeouts.credential_seconds),
    ):
        if timeouts.message_seconds >= value:
            yield Problem(
                f"{key} {value} must be greater than message_seconds {timeouts.message_seconds}: "
                "otherwise a single late response ends jobs",
                ("slurm", "timeouts", key),
                other_path=message,
            )


def _spares(cluster: Cluster) -> Iterator[Problem]:
    if cluster.slurm.accounting.kind != "none":
        return
    for index, group in enumerate(cluster.compute):
        if group.spare_count:
            yield Problem(
                "spares require a limit in the accounting database, and accounting is none",
                ("compute", index, "spare_count"),
                hint="accounting: {kind: local}, or omit spare_count",
                other_path=("slurm", "accounting", "kind"),
            )
