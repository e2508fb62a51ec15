"""Node counts: of tests that run with 1, 2, 4 ... nodes, and of jobs with one process."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context

ONLY: Final = Setting("only", "count", "Only this number of nodes.  [default: 1, 2, 4 ... all]")


def node_counts(context: Context) -> list[int]:
    """1, 2, 4 … nodes, and all of them: or only those of the setting `only`."""
    only = context.optional("only")
    if only is not None:
        return [min(int(only), context.nodes)]
    found, count = [], 1
    while count < context.nodes:
        found.append(count)
        count *= 2
    return [*found, context.nodes]


def one_node(context: Context) -> None:
    """Refuse several nodes. Raises SettingError."""
    if context.nodes != 1:
        raise SettingError(
            f"--set nodes: {context.nodes}, and this job has one process", "nodes=1"
        )
