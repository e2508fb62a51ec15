"""A signature: patterns that recognise a kind of failure, and what is said about it.

Texts are templates: `{name}` is a value of the evidence, and a part in square brackets is left out
where one of its values is missing. A command whose values are missing is left out whole.
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright.diagnosis.literals import Expression, alternatives
from clusterwright.diagnosis.model import Confidence, Evidence, Severity
from clusterwright.diagnosis.parts import Part

Values = Mapping[str, str]

_VALUE: Final = re.compile(r"\{(\w+)\}")
_OPTIONAL: Final = re.compile(r"\[([^\[\]]*\{[^\[\]]*)\]")
# Values that many messages have, whatever their wording.
_DETAILS: Final = {
    "type": re.compile(r"\b((?:ml\.)?[a-z]{1,4}\d[a-z0-9-]*\.(?:\d+x|x)?(?:large|metal)\b)"),
    "zone": re.compile(r"\b([a-z]{2}(?:-[a-z]+)+-\d[a-z]|[a-z]{3,4}\d-az\d)\b"),
    "action": re.compile(r"\b([a-z0-9-]{2,40}:[A-Z][A-Za-z0-9]+)\b"),
    "subnet": re.compile(r"\b(subnet-[0-9a-f]{8,17})\b"),
    "security_group": re.compile(r"\b(sg-[0-9a-f]{8,17})\b"),
    "file_system": re.compile(r"\b(fs-[0-9a-f]{8,17})\b"),
    "reservation": re.compile(r"\b(cr-[0-9a-f]{8,17})\b"),
    "instance": re.compile(r"\b(i-[0-9a-f]{8,17})\b"),
    "quota_code": re.compile(r"\b(L-[0-9A-F]{8})\b"),
    "endpoint": re.compile(
        r"\b((?:[a-z0-9-]+\.)+amazonaws\.com(?:\.cn)?|(?:[a-z0-9-]+\.)+api\.aws)\b"
    ),
    "host": re.compile(
        r"(?:https?://|host:? '?|resolve (?:host:? )?'?|connect to '?|host=')"
        r"((?:[a-z0-9-]+\.)+[a-z]{2,})",
        re.IGNORECASE,
    ),
    "path": re.compile(r"(?<![\w:/.])(/(?:[\w.+@-]+/?)+)"),
}
_ECHOES: Final = 3


@dataclass(frozen=True)
class Signature:
    """A kind of failure.

    Attributes
    ----------
    cause:
        Template of the cause, or a function of the values that returns it; None from the function
        means that this evidence is no failure.
    patterns:
        Regular expressions, without regard to case, searched in the text of the evidence; named
        groups become values. The first signature of the table that matches is used.
    rank:
        0 a cause; 1 what a cause usually leads to; 2 a report that something failed, without a
        reason; 3 an echo, which is never reported.
    kinds:
        Kinds of evidence in which it is looked for; all if empty.
    per_node:
        One finding for each node, as for hardware; otherwise one for all nodes with this cause.
    failed_only:
        Looked for only in what the source itself calls a failure.
    needs:
        A field that the evidence must have, for patterns that would match anything.
    follows:
        What it reports is the consequence of an exception that an earlier line of the log has.
    one_per_log:
        Of several causes in one log, the first is the cause and the others follow from it, unless
        `parts` say otherwise.
    parts:
        Parts of the program that its causes name, by which one follows from another.
    severity:
        `info` for what answers a question about a node or a job, and is no failure.
    rules:
        Rules of `check` that would have found it before the deployment.
    """

    id: str
    cause: str | Callable[[Values], str | None]
    patterns: tuple[str, ...]
    confidence: Confidence | Callable[[Values], Confidence] = "certain"
    rank: int = 0
    next: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    per_node: bool = False
    failed_only: bool = False
    needs: str = ""
    follows: bool = False
    one_per_log: bool = False
    parts: tuple[Part, ...] = ()
    severity: Severity = "error"
    rules: tuple[str, ...] = ()

    @property
    def is_echo(self) -> bool:
        return self.rank >= _ECHOES


Place = tuple[int, int]
"""A pattern of a signature and one of its alternatives, by their positions."""


class Compiled:
    """A signature with its patterns, each as its alternatives.

    Alternatives are searched one by one, because most texts have the words of one or of none. The
    result is that of the whole pattern: the match that begins first, and of those that begin at
    the same place, that of the first alternative.
    """

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.patterns = tuple(
            tuple(Expression(each, re.IGNORECASE) for each in alternatives(text))
            for text in signature.patterns
        )
        self._kinds = frozenset(signature.kinds)
        self._parts: dict[tuple[Place, ...], Compiled] = {}

    def only(self, places: tuple[Place, ...]) -> Compiled:
        """The same with some of its alternatives, whose places are in order."""
        part = self._parts.get(places)
        if part is None:
            part = copy.copy(self)
            part.patterns = tuple(
                tuple(self.patterns[pattern][number] for _, number in group)
                for pattern, group in itertools.groupby(places, key=lambda place: place[0])
            )
            self._parts[places] = part
        return part

    def values(self, evidence: Evidence) -> Values | None:
        """The values of evidence that the signature matches, else None."""
        if self._kinds and evidence.kind not in self._kinds:
            return None
        if self.signature.failed_only and not evidence.failed:
            return None
        if self.signature.needs and self.signature.needs not in evidence.fields:
            return None
        text = evidence.text
        lowered = text.lower()
        for pattern in self.patterns:
            found = None
            for alternative in pattern:
                match = alternative.search(text, lowered)
                if match is not None and (found is None or match.start() < found.start()):
                    found = match
            if found is not None:
                groups = {k: v.strip() for k, v in found.groupdict().items() if v}
                return {**details(evidence), **groups}
        return None


def details(evidence: Evidence) -> dict[str, str]:
    """Values in the text and the fields of evidence, whatever its signature."""
    found = {}
    for name, pattern in _DETAILS.items():
        match = pattern.search(evidence.text)
        if match is not None:
            found[name] = match.group(1)
    own = {
        "node": evidence.node,
        "instance": evidence.instance,
        "job": evidence.job,
        "stack": evidence.stack,
        "resource": evidence.resource,
    }
    found.update({name: value for name, value in own.items() if value})
    found.update({name: value for name, value in evidence.fields.items() if value})
    return found


def filled(template: str, values: Values) -> str | None:
    """A template with its values; None if a value outside square brackets is missing."""

    def part(match: re.Match[str]) -> str:
        inner = match.group(1)
        names = _VALUE.findall(inner)
        return _with_values(inner, values) if all(values.get(n) for n in names) else ""

    text = _OPTIONAL.sub(part, template)
    if not all(values.get(name) for name in _VALUE.findall(text)):
        return None
    return _with_values(text, values)


def _with_values(text: str, values: Values) -> str:
    return _VALUE.sub(lambda match: values[match.group(1)], text)
