"""The verdicts of acceptance about nodes: see `clusterwright/diagnosis/acceptance.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from clusterwright.diagnosis.acceptance import KIND, PREFIX
from clusterwright.diagnosis.signature import Signature, Values

_REPLACE: Final = "clusterwright node replace {file} {nodes} --because {because}"
_REBOOT: Final = "clusterwright node reboot {file} {nodes} --because {because}"
_ACCEPT: Final = "clusterwright accept {file} --nodes {nodes}"

_ACTIONS: Final = {
    "replace": (_REPLACE,),
    "reboot": (_REBOOT, _ACCEPT),
    "check": (f"{_ACCEPT} --level full",),
    "report": ("clusterwright drift {file}", _ACCEPT),
    # Of a result without an action.
    "": (_ACCEPT,),
}
"""What to run for each action of a rejected node."""

_ADVICE: Final = {"report": " (what to do: change software or configuration)"}
"""For what no command does."""


def _rejected(action: str) -> Callable[[Values], str | None]:
    def cause(values: Values) -> str | None:
        own = values.get("action", "")
        if (own if own in _ACTIONS else "") != action:
            return None
        return f"acceptance rejected the node: {values['reason']}{_ADVICE.get(action, '')}"

    return cause


SIGNATURES: Final = (
    *(
        Signature(
            f"{PREFIX}{action or 'rejected'}",
            _rejected(action),
            (r"^acceptance rejected: (?P<reason>[\s\S]+)",),
            kinds=(KIND,),
            # What is replaced is one instance; other reasons are often common to many nodes.
            per_node=action == "replace",
            next=commands,
        )
        for action, commands in _ACTIONS.items()
    ),
    Signature(
        f"{PREFIX}unknown",
        "acceptance does not know whether the node is good: {reason}",
        (r"^acceptance unknown: (?P<reason>[\s\S]+)",),
        confidence="possible",
        rank=1,
        kinds=(KIND,),
        next=(_ACCEPT,),
    ),
)
