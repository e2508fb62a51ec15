"""Artefacts that nodes download have a checksum.

Nothing else detects a missing one before deployment: the templates contain the list unchanged, and
the first node refuses the artefact.
"""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.artefacts.lock import Artefact, LockError
from clusterwright.artefacts.selection import CONTAINERS, PROGRAMS_OF_CONTAINERS, absent
from clusterwright.catalog import Known
from clusterwright.platforms.node_artefacts import artefacts_of, fetching_steps, list_file
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects, Unknown


class ArtefactChecksums(Rule[str]):
    id = "CW-L006"
    prevents = "a node that refuses an artefact at boot, when the cluster already costs money"
    source = "docs/reference/node-files.md, step artefacts"

    def subjects(self, context: Context) -> Subjects[str]:
        """Each step that may use artefacts, if the spec enables it."""
        for step, path in fetching_steps(context.cluster).items():
            yield path, step

    def check(self, step: str, context: Context) -> Results:
        listed = context.cluster.lifecycle.artefacts
        try:
            artefacts = artefacts_of(context.cluster)
        except LockError as error:
            yield Unknown(message=f"{listed}: {error.problems[0]}")
            return
        used = [each for each in artefacts if step in each.used_by]
        unknown = [each.label for each in used if each.sha256 is None]
        if unknown:
            yield Fail(
                message=f"the checksums of {', '.join(unknown)} are missing: nodes refuse them "
                "at boot",
                requested=len(used),
                limit=len(used) - len(unknown),
                where=listed,
                hint=f"`clusterwright artefacts pin --lock {listed}`, then review the change",
            )
        if step == CONTAINERS:
            yield from _absent(used, context)


def _absent(used: Iterable[Artefact], context: Context) -> Results:
    """The programs that the list lacks for the architecture of a group's instances."""
    architectures = set()
    for group in context.cluster.compute:
        instance = context.catalog.instance(group.instance_type)
        if instance is None or not isinstance(instance.architecture, Known):
            yield Unknown(
                message=f"no source states the architecture of {group.instance_type}, so whether "
                "the list has its programs is not known"
            )
        else:
            architectures.add(instance.architecture.value)
    lacking = absent(tuple(used), PROGRAMS_OF_CONTAINERS, architectures)
    if lacking:
        yield Fail(
            message=f"the list of artefacts has no {' and no '.join(lacking)}",
            where=str(list_file(context.cluster)),
            hint=f"add it to {context.cluster.lifecycle.artefacts}, used_by {CONTAINERS}",
        )
