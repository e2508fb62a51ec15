"""`clusterwright render dashboards`: Grafana's dashboards for a cluster."""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path
from typing import Any, Final

import click

from clusterwright import files
from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import load_or_exit
from clusterwright.cli.options import format_option, spec_argument
from clusterwright.cli.output_files import cannot_write, check_writable, write_atomically

_LARGEST_BYTES: Final = 16 * 2**20
_MARK: Final = "clusterwright"
"""The tag by which a dashboard is recognised as one of ours."""

EPILOG = """
Examples:

\b
  clusterwright render dashboards configs/prod.yaml --output dashboards
  clusterwright render dashboards --env prod --output /var/lib/grafana/dashboards
"""


@click.command(epilog=EPILOG)
@spec_argument
@click.option(
    "--output",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the files, created if it does not exist.",
)
@click.option("--force", is_flag=True, help="Overwrite files that are not dashboards of ours.")
@format_option("text", "json")
def command(path: Path, folder: Path, force: bool, output_format: str) -> None:
    """Write dashboards for Grafana, one file each.

    Each dashboard has the panels whose metrics this cluster has. Earlier files of this command are
    replaced, each in one step.
    """
    from clusterwright.catalog import load_catalog
    from clusterwright.monitoring.dashboards import NAMES, dashboards
    from clusterwright.monitoring.facts import facts_of
    from clusterwright.monitoring.grafana import dashboard_json, file_name, uid

    cluster = load_or_exit(path, command="render dashboards", output_format=output_format).cluster
    facts = facts_of(cluster, load_catalog(), today=dt.datetime.now(dt.UTC).date())
    found = list(dashboards(facts))
    if not found:
        raise UserError(
            f"{path}: this cluster has no metrics for dashboards: {facts.without_nodes}",
            "docs/how-to/dashboards.md states what each platform needs",
        )
    texts = {folder / file_name(each.name): dashboard_json(each, facts) for each in found}
    _make(folder)
    _check(texts, force)
    for target, text in texts.items():
        write_atomically(target, text, force=True)
    every = [folder / file_name(name) for name in NAMES]
    stale = [target for target in every if target not in texts and _is_ours(target)]
    for old in stale:
        print(
            f"{old} is of an earlier rendering: this cluster has no such dashboard",
            file=sys.stderr,
        )
    if output_format == "json":
        from clusterwright.json_output.envelope import json_answer

        rows = [
            {
                "name": each.name,
                "title": each.title,
                "uid": uid(each, facts),
                "file": str(folder / file_name(each.name)),
                "panels": sum(len(row.panels) for row in each.rows),
            }
            for each in found
        ]
        fields = {"dashboards": rows, "stale_files": [str(old) for old in stale]}
        click.echo(json_answer("render dashboards", 0, fields), nl=False)
        return
    for each in found:
        panels = sum(len(row.panels) for row in each.rows)
        click.echo(f"{folder / file_name(each.name)}: {each.title}, {panels} panels")
    if facts.without_nodes:
        click.echo(f"without dashboards of nodes: {facts.without_nodes}")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UserError(f"{folder} is not a directory", "name a folder") from None
    except OSError as error:
        raise cannot_write(folder, error) from None


def _check(texts: dict[Path, str], force: bool) -> None:
    """Check every file before the first is written."""
    check_writable(texts, force=True)
    if force:
        return
    for target in texts:
        if target.exists() and not _is_ours(target):
            raise UserError(
                f"{target} exists and is not a dashboard that this command wrote",
                "name another folder, or use --force",
            )


def _is_ours(path: Path) -> bool:
    """Whether a file is a dashboard that this command wrote."""
    try:
        found: Any = json.loads(files.read_text(path, _LARGEST_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    tags = found.get("tags") if isinstance(found, dict) else None
    return isinstance(tags, list) and _MARK in tags
