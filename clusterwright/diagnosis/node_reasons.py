"""Slurm's own reasons for nodes in what its commands and daemons print, with the nodes.

Forms: `sinfo --list-reasons` (also --long), `scontrol show node`, `sinfo` with the node, its state
and the reason, slurmctld's log (SchedMD/slurm, src/sinfo/opts.c, src/slurmctld/node_mgr.c and
agent.c, 26.05). Reasons that people and programs give are left to the signatures of lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from clusterwright.diagnosis.literals import Expression
from clusterwright.diagnosis.slurm_reasons import PATTERN

_KNOWN: Final = Expression(PATTERN)
_TIME: Final = r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|Unknown)"
_STATE: Final = r"(?:down|drain(?:ed|ing)?|drng|inval|fail(?:ing|g)?)[*~#!%$@^+-]?"
_NODES: Final = r"(?P<nodes>[\w.,\[\]-]+)"
_FORMS: Final = (
    re.compile(rf"^(?P<reason>\S.*?)\s+\S+\s+{_TIME}\s+(?:{_STATE}\s+)?{_NODES}$"),
    re.compile(rf"\bReason=(?P<reason>[^\n]+?) \[[^\s@\[\]]+@{_TIME}\]"),
    # `scontrol show node`, which names who gave a reason only where slurmctld knows it.
    re.compile(r"^\s*Reason=(?P<reason>\S[^\n\[\]]*)$"),
    re.compile(rf"\b[Ss]etting node {_NODES} state to INVAL with reason:(?P<reason>\S.*)$"),
    re.compile(rf"\bupdate_node: node {_NODES} reason set to: (?P<reason>\S.*)$"),
    re.compile(rf"\berror: (?P<reason>\S.*) on nodes {_NODES}, set to state DRAIN$"),
    re.compile(rf"(?:^|\s){_NODES}\s+{_STATE}\s+(?P<reason>(?:{PATTERN}).*)$"),
)


@dataclass(frozen=True)
class NodeReason:
    """A reason, and the host list of the nodes that have it; empty where nothing names them."""

    reason: str
    nodes: str


class NodeReasons:
    """The reasons of the lines of one file, which are read in order."""

    def __init__(self) -> None:
        self._node = ""

    def read(self, text: str, lowered: str) -> NodeReason | None:
        """The reason of a line, which is also given in lower case; None for another line."""
        if text.startswith("NodeName="):
            # `scontrol show node` writes the reason some lines below the name.
            self._node = text.split(maxsplit=1)[0].partition("=")[2]
        if _KNOWN.search(text, lowered) is None:
            return None
        for form in _FORMS:
            found = form.search(text)
            if found is not None and _KNOWN.pattern.search(found["reason"]):
                return NodeReason(found["reason"], found.groupdict().get("nodes") or self._node)
        return None
