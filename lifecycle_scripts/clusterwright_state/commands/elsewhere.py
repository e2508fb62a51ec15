"""`clusterwright drift` on a node: what it compares is not here."""

from __future__ import annotations

from typing import Any

from clusterwright_state.commands.setting import Setting
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
