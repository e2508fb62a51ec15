"""The commands that a finding proposes, from the templates of its signature."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from clusterwright.diagnosis.model import Target
from clusterwright.diagnosis.signature import filled

MORE: Final = (
    "aws cloudformation describe-stack-events --stack-name {stack} --region {region}",
    "clusterwright diagnose {file} node {node}",
    "clusterwright diagnose {file} job {job} --log JOB_OUTPUT",
)
"""What reads more of a stack, a node or a job."""

_EVERYTHING: Final = ("clusterwright diagnose {file}",)
_ANYWAY: Final = (
    "clusterwright accept {file} --nodes {nodes}",
    "clusterwright accept {file} --nodes {node}",
    "clusterwright status {file}",
)
"""What says more where `diagnose` has read all that it can."""

_TO_BE_NAMED: Final = {"node": "NODE", "job": "JOB"}
"""What stands in a command for the name that no evidence has, as JOB_OUTPUT for a file."""

_NODES_PER_COMMAND: Final = 25


def commands(
    templates: Sequence[str],
    values: Mapping[str, str],
    nodes: Sequence[str],
    running: Target | None,
) -> tuple[str, ...]:
    """The commands whose values are known. Without any, those that lack only the name of a node or
    a job, with a word in its place; without these too, what reads more.

    `running` is the question that is being answered: the same command would only repeat it.
    """
    for names in ({}, _TO_BE_NAMED):
        known = {**names, **values}
        on = nodes or ((names["node"],) if names else ())
        found = _others(templates, known, on, running)
        if found:
            return found
    return read_more(values, running)


def read_more(values: Mapping[str, str], running: Target | None) -> tuple[str, ...]:
    """What reads more of the stack, node or job, else of the cluster."""
    return (
        _others(MORE, values, (), running)
        or _others(_EVERYTHING, values, (), running)
        or _others(_ANYWAY, values, (), running)[:1]
    )


def _others(
    templates: Sequence[str],
    values: Mapping[str, str],
    nodes: Sequence[str],
    running: Target | None,
) -> tuple[str, ...]:
    """The commands whose values are known, except the one that runs."""
    filled_in = (_command(template, values, nodes) for template in templates)
    own = _running(values, running)
    return tuple(each for each in filled_in if each is not None and each not in own)


def _running(values: Mapping[str, str], running: Target | None) -> frozenset[str]:
    """The command that runs, with each name of its node, and the one that would propose it."""
    if running is None:
        return frozenset()
    everything = f"clusterwright diagnose {shlex.quote(values['file'])}"
    names = {running.name}
    if running.subject == "node":
        node = {values.get("node", ""), values.get("instance", "")}
        names |= node if running.name in node else set()
    asked = (shlex.join(filter(None, (running.subject, name))) for name in names)
    return frozenset({everything, *(f"{everything} {words}" for words in asked if words)})


def _command(template: str, values: Mapping[str, str], nodes: Sequence[str]) -> str | None:
    """A command with quoted values; None if one of its values is missing."""
    quoted = {name: shlex.quote(value) for name, value in values.items() if value}
    quoted["because"] = shlex.quote(_short(values["because"]))
    separator = "," if "--nodes" in template else " "
    if nodes:
        quoted["nodes"] = separator.join(shlex.quote(n) for n in nodes[:_NODES_PER_COMMAND])
    return filled(template, quoted)


def _short(cause: str) -> str:
    """A cause as the reason of a command: without its explanation."""
    for end in ("; ", " (what to do", ": it is", ", so "):
        cause = cause.partition(end)[0]
    return cause[:100]
