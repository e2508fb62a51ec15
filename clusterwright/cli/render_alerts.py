"""`clusterwright render alerts`: Prometheus alert rules for a cluster."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from clusterwright.cli.cluster_reading import rates_of
from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import catalog_errors, load_or_exit
from clusterwright.cli.options import format_option, prices_option, spec_argument

COMMAND = "render alerts"

EPILOG = """
Examples:

\b
  clusterwright render alerts configs/prod.yaml > rules.yaml
  promtool check rules rules.yaml
  clusterwright render alerts --env prod --capacity-ends 2026-12-24T11:30Z > rules.yaml
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option(
    "--capacity-ends",
    metavar="TIME",
    help="When the Capacity Block or the training plan ends, as `clusterwright capacity` shows "
    "it, such as 2026-12-24T11:30Z. Without it there are no alerts on the end.",
)
@click.option(
    "--runbooks",
    metavar="URL",
    help="Address of the runbooks' page in your copy of the documentation.  "
    "[default: its path in the repository]",
)
@prices_option("Your own rates for the cost.  [default: prices.yaml beside the spec]")
@format_option("yaml", "json")
def command(
    path: Path,
    capacity_ends: str | None,
    runbooks: str | None,
    prices: str | None,
    output_format: str,
) -> None:
    """Print alert rules for Prometheus, for the metrics that the cluster's exporters have.

    Each rule has a severity (critical or warning), the price of idle nodes, the command to run and
    the address of its runbook. An alert without metrics in this cluster is left out, with the
    reason in the comments at the head of the file.
    """
    from clusterwright.alerts.rule_file import RUNBOOKS, rule_file
    from clusterwright.alerts.watched import watched, why_not
    from clusterwright.catalog import load_catalog

    ends = _time(capacity_ends) if capacity_ends is not None else None
    spec = load_or_exit(path, command=COMMAND, output_format=output_format)
    cluster = spec.cluster
    rates = rates_of(
        spec,
        path,
        command=COMMAND,
        output_format=output_format,
        prices=prices,
        now=dt.datetime.now(dt.UTC),
    )
    with catalog_errors():
        found = rule_file(
            watched(
                cluster,
                load_catalog(),
                file=str(path),
                rate=rates.rate,
                capacity_end=ends,
            ),
            runbooks=runbooks or RUNBOOKS,
        )
    if output_format == "json":
        from clusterwright.json_output.envelope import json_answer

        left_out = [{"name": each.name, "reason": each.reason} for each in found.left_out]
        fields = {**found.content, "left_out": left_out}
        click.echo(json_answer(COMMAND, 0, fields), nl=False)
        return
    from clusterwright.render.alerts import rules_yaml

    click.echo(rules_yaml(found, file=str(path), note=why_not(cluster)), nl=False)


def _time(text: str) -> dt.datetime:
    try:
        found = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError(
            f"--capacity-ends: {text!r} is not a time", "such as 2026-12-24T11:30Z"
        ) from None
    return found.replace(tzinfo=dt.UTC) if found.tzinfo is None else found.astimezone(dt.UTC)
