"""`clusterwright drift` and `diagnose` on a node: what they need is not here."""

from __future__ import annotations

from typing import Any

from clusterwright_state.commands.setting import Setting, Stop
from clusterwright_state.commands.view import head, without_platform


def drift(setting: Setting) -> dict[str, Any]:
    """The document of `drift`: nothing was compared."""
    return {
        **without_platform(head(setting, "drift", 2)),
        "stacks": [],
        "differences": [],
        "not_compared": [
            {
                "what": "everything",
                "reason": "the file, the stacks and their templates are not on a node, which has "
                "no right to read them from AWS",
                "hint": "from a workstation: clusterwright drift FILE",
            }
        ],
    }


def diagnose(words: list[str]) -> None:
    """Refuse.

    Raises
    ------
    Stop
        Always.
    """
    asked = " ".join(["clusterwright diagnose FILE", *words])
    raise Stop(
        "diagnose does not run on a node: it reads log streams, events and stacks from AWS, which "
        "this node has no right to read, with a newer Python than the image's",
        f"from a workstation: {asked}",
        exit_code=2,
    )
