"""Declared versions of drivers, libraries and charts work together."""

from __future__ import annotations

from typing import NamedTuple

from clusterwright.cluster_spec.models.software import (
    EFA_COMPONENTS,
    NEURON_COMPONENTS,
    NVIDIA_COMPONENTS,
)
from clusterwright.cluster_spec.problems import Path
from clusterwright.platforms import software
from clusterwright.platforms.software_pairs import END_OF_LIFE, REFUSED, UNKNOWN
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Severity, Subjects

_SHOWN = 6

_LACKING = (
    (NVIDIA_COMPONENTS, "has no NVIDIA accelerators"),
    (NEURON_COMPONENTS, "has no Neuron devices"),
    (EFA_COMPONENTS, "has no EFA"),
)


class Declarations(NamedTuple):
    """The pairs of versions that differ among the cluster's groups, each with its first path."""

    refused: tuple[tuple[Path, str, str, bool], ...]
    """Path, message, hint, and whether it is the end of support."""

    unverified: tuple[tuple[Path, str], ...]
    """Pairs of stated versions that no source covers."""

    misplaced: tuple[tuple[Path, str], ...]
    """Versions of components that the nodes do not have."""


class SoftwareVersions(Rule[Declarations]):
    id = "CW-I030"
    prevents = (
        "jobs that fail in the first step, or run over TCP, because of versions that are known "
        "not to work together"
    )
    source = (
        "the source of each row in docs/reference/software.md; a pair without a row is unverified"
    )

    def subjects(self, context: Context) -> Subjects[Declarations]:
        yield ("platform",), _declarations(context)

    def check(self, found: Declarations) -> Results:
        for path, message, hint, is_end_of_life in found.refused:
            severity: Severity = "warning" if is_end_of_life else "error"
            yield Fail(message=message, path=path, hint=hint, severity=severity)
        for path, message in found.misplaced:
            yield Fail(message=message, path=path, severity="warning", hint="remove it")
        if found.unverified:
            count = len(found.unverified)
            shown = "; ".join(text for _, text in found.unverified[:_SHOWN])
            more = f"; and {count - _SHOWN} more" if count > _SHOWN else ""
            pairs = "pair" if count == 1 else "pairs"
            yield Fail(
                message=f"{count} {pairs} of versions unverified: no source states whether they "
                f"work together: {shown}{more}",
                path=found.unverified[0][0],
                severity="info",
                hint="run a job on one node first; the log of NCCL shows what it uses",
            )


def _declarations(context: Context) -> Declarations:
    cluster, catalog = context.cluster, context.catalog
    refused: dict[str, tuple[Path, str, str, bool]] = {}
    unverified: dict[str, Path] = {}
    for index, group in enumerate(cluster.compute):
        versions = software.declared(cluster, index, group, catalog)
        for each in software.findings(cluster, versions):
            first, second = (versions[name] for name in each.components)
            # The key that a person wrote, rather than one whose value implies the version.
            path = (first if first.is_stated or not second.is_stated else second).path
            if each.verdict in (REFUSED, END_OF_LIFE):
                message = f"{each.text}: not satisfied: {each.rule} [{each.source}]"
                refused.setdefault(
                    message, (path, message, each.hint, each.verdict == END_OF_LIFE)
                )
            elif each.verdict == UNKNOWN and (first.is_stated or second.is_stated):
                unverified.setdefault(each.text, path)
    return Declarations(
        tuple(refused.values()),
        tuple((path, text) for text, path in unverified.items()),
        tuple(_misplaced(context)),
    )


def _misplaced(context: Context) -> list[tuple[Path, str]]:
    """Versions of a group, or of the cluster, for which no node has the component."""
    cluster, catalog = context.cluster, context.catalog
    lacking = [software.lacks(group, catalog) for group in cluster.compute]
    found: list[tuple[Path, str]] = []
    for index, group in enumerate(cluster.compute):
        for name in group.software:
            for components, reason in _LACKING:
                if name in components & lacking[index]:
                    text = f"{software.title(name)}: group {group.name} {reason}"
                    found.append((("compute", index, "software", name), text))
    for name in cluster.software:
        if all(name in each for each in lacking):
            text = f"{software.title(name)}: no group has it"
            found.append((("software", name), text))
    return found
