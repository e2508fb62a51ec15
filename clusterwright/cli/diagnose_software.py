"""What a job's log proves about its software: the findings of `diagnose --log`.

A log shows what a job really ran with, the table of software which versions work together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.diagnosis.log_files import Log
from clusterwright.diagnosis.model import Confidence, Evidence, Finding
from clusterwright.platforms import accelerators, proven_software
from clusterwright.platforms.software_pairs import END_OF_LIFE, REFUSED

SIGNATURE: Final = "job-software"
SAME_AS_TRANSPORT: Final = "efa-not-used"
"""The signature of lines that say the same as the finding about the transport."""

_SHOWN_LINES: Final = 8


def findings(
    logs: Iterable[Log],
    cluster: Cluster,
    catalog: Catalog,
    file: str,
    known: Collection[str] = (),
) -> tuple[Finding, ...]:
    """What the logs refute, one finding for each rule and text.

    A log does not name the group of its nodes: a finding that is not the same for all groups with
    accelerators is likely, not certain. `file` is the spec's, for the next command; `known` are
    the signatures of findings that exist already.
    """
    skipped = {proven_software.TRANSPORT_RULE} if SAME_AS_TRANSPORT in known else set()
    groups = [
        group
        for group in cluster.compute
        if group.role == "compute" and accelerators.family(group.instance_type, catalog) != "none"
    ]
    found: list[Finding] = []
    for log in logs:
        proven = proven_software.read(line.text for line in log)
        if not proven.is_empty:
            found += _of_log(log.file, proven, groups, cluster, catalog, file)
    return tuple(each for each in found if not any(rule in each.cause for rule in skipped))


def _of_log(
    path: Path,
    proven: proven_software.Proven,
    groups: list[ComputeGroup],
    cluster: Cluster,
    catalog: Catalog,
    file: str,
) -> list[Finding]:
    refuted: dict[str, list[str]] = {}
    for group in groups:
        for each in proven_software.findings(proven, cluster, group, catalog):
            if each.verdict in (REFUSED, END_OF_LIFE):
                cause = f"software of the job: refuted: {each.rule} ({each.text}); {each.hint}"
                refuted.setdefault(cause, []).append(group.name)
    evidence = tuple(
        Evidence("log", str(path), f"{path}: {text}", None, text)
        for text in proven.lines[:_SHOWN_LINES]
    )
    next_command = f"clusterwright check {file} --offline --only CW-I030"
    certain: Confidence = "certain"
    return [
        Finding(
            cause=cause,
            confidence=certain if len(names) == len(groups) else "likely",
            evidence=evidence,
            resources=tuple(names),
            next=(next_command,),
            signature=SIGNATURE,
        )
        for cause, names in refuted.items()
    ]
