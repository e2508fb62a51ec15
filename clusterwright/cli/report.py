"""`clusterwright report`: what training runs did with their time and money."""

from __future__ import annotations

import click

from clusterwright.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "cost": (
        "clusterwright.cli.report_cost",
        "Show what the compute nodes cost by day, run, user and account",
    ),
    "goodput": (
        "clusterwright.cli.report_goodput",
        "Show where the time of a training run went",
    ),
    "layouts": (
        "clusterwright.cli.report_layouts",
        "Show throughput by layout, as the job layout-sweep measured it",
    ),
    "scaling": (
        "clusterwright.cli.report_scaling",
        "Show throughput and cost by number of nodes",
    ),
}
"""Name -> (module, one line for --help)."""


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Report on training runs from the logs of their jobs and from accounting."""
