"""`clusterwright report layouts`: throughput by layout, of the job layout-sweep."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright import files
from clusterwright.cli import report_files
from clusterwright.cli.errors import UserError
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import format_option, prices_option, spec_argument

if TYPE_CHECKING:
    from clusterwright.goodput.layouts import LayoutFolder

COMMAND = "report layouts"

EPILOG = """\b
Example:
  clusterwright report layouts configs/prod.yaml --logs sweep/ --format json > layouts.json
  clusterwright plan --goal goal.yaml --measured layouts.json

\b
Exit codes: 3 the command line or the spec is wrong; else 2 no layout has a throughput; else 0. 70
is an internal error.
"""


@click.command(epilog=EPILOG)
@spec_argument
@report_files.logs_option("The folder of the sweep, which has a folder for each layout.")
@report_files.plan_option
@prices_option("Your own rates.  [default: prices.yaml beside the spec]")
@format_option("text", "json")
@click.pass_context
@reduced_gc()
def command(
    ctx: click.Context,
    /,
    path: Path,
    logs: Path,
    plan_file: Path | None,
    prices: str | None,
    output_format: str,
) -> None:
    """Compare the layouts that the job layout-sweep measured with each other and with the plan.

    `plan --measured` takes the JSON: the fastest layout becomes the plan's, and its throughput
    narrows the intervals. No AWS API is called.
    """
    from clusterwright.goodput.layouts import layout_report

    spec = load_or_exit(path, command=COMMAND, output_format=output_format)
    report = layout_report(
        spec.cluster,
        _folders(logs),
        file=str(path),
        prices=report_files.prices_of(
            spec, path, prices, command=COMMAND, output_format=output_format
        ),
        plan=report_files.read_plan(path, plan_file),
    )
    if output_format == "json":
        from clusterwright.json_output.layouts import layouts_json

        sys.stdout.write(layouts_json(report))
    else:
        from clusterwright.render.layouts import layouts_text
        from clusterwright.render.style import Style

        sys.stdout.write(layouts_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)


def _folders(root: Path) -> list[LayoutFolder]:
    """The folders below a folder that have a file of their layout.

    Raises
    ------
    UserError
        The folder does not exist, or a file cannot be read or is not a JSON object.
    """
    from clusterwright.goodput.layouts import LAYOUT_FILE, LayoutFolder

    if not root.is_dir():
        raise UserError(f"--logs: {root} is not a folder")
    found = []
    for path in sorted(root.rglob(LAYOUT_FILE)):
        try:
            layout = json.loads(files.read_text(path))
        except (OSError, ValueError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UserError(f"--logs: {path} cannot be read: {reason}") from None
        if not isinstance(layout, Mapping):
            raise UserError(f"--logs: {path} is not a JSON object")
        name = path.parent.relative_to(root).as_posix()
        logs = [log for log in report_files.read_logs(path.parent) if log.path != LAYOUT_FILE]
        found.append(LayoutFolder(name, layout, tuple(logs)))
    return found
