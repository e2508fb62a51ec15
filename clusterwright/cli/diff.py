"""`clusterwright diff`: the review of a change to a spec before it is merged."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import catalog_errors, load_or_exit
from clusterwright.cli.options import (
    fail_on_option,
    format_option,
    offline_option,
    prices_option,
    spec_argument,
    timeout_option,
)

if TYPE_CHECKING:
    from clusterwright.cli.diff_versions import DiffOptions
    from clusterwright.preflight.results import Severity
    from clusterwright.review.results import Review

EXIT_CODES = """\b
The verdict is fail where a gate fails: a resource that holds data or jobs is replaced or deleted
or data loses its protection, and `allow_replacement` of the spec does not name it, CloudFormation
or a service would refuse the deployment, a budget is exceeded, or a finding at or above --fail-on
is new.

\b
Exit codes: 3 the command line or the spec is wrong; else 1 the verdict is fail; else 2 something
is unknown (with --strict that is 1); else 0. 70 is an internal error.
"""


@click.command(epilog=EXIT_CODES)
@spec_argument
@click.option(
    "--base",
    metavar="REF",
    help="Compare with CONFIG at this commit, branch or tag; or with another spec file.",
)
@click.option("--deployed", is_flag=True, help="Compare with what is deployed in the account.")
@offline_option
@fail_on_option("The lowest severity of a new finding that fails the review.")
@click.option("--strict", is_flag=True, help="Treat unknown results as failed gates.")
@click.option(
    "--no-templates",
    is_flag=True,
    help="Synthesise no templates: leaves out resources, access and network.",
)
@click.option(
    "--no-change-sets",
    is_flag=True,
    help="With --deployed: read only; create no change set and detect no drift.",
)
@prices_option("Your own rates, for both versions.  [default: prices.yaml beside each spec]")
@timeout_option(120.0)
@format_option("text", "json", "markdown")
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    base: str | None,
    deployed: bool,
    offline: bool,
    fail_on: Severity,
    strict: bool,
    no_templates: bool,
    no_change_sets: bool,
    prices: str | None,
    timeout_seconds: float,
    output_format: str,
) -> None:
    """Review a change to the cluster of CONFIG: the resolved spec, every resource, data and
    running jobs, access and network, cost, quotas and findings.

    Nothing is created or changed. With --base the templates of both versions are synthesised, each
    by its own version's stacks, and compared with the CloudFormation schemas. With --deployed
    CloudFormation creates change sets, which are read and deleted.
    """
    from clusterwright.cli.diff_versions import DiffOptions

    if deployed == (base is not None):
        raise UserError(
            "either --base REF or --deployed is required",
            "in a pull request: --base origin/main; after a deployment: --deployed",
        )
    if deployed and offline:
        raise UserError("--deployed reads the account, which --offline excludes", "leave one out")
    if no_change_sets and not deployed:
        raise UserError("--no-change-sets requires --deployed")
    spec = load_or_exit(path, command="diff", output_format=output_format)
    options = DiffOptions(
        path=path,
        spec=spec,
        base=base,
        offline=offline,
        fail_on=fail_on,
        templates=not no_templates,
        change_sets=not no_change_sets,
        prices=prices,
        timeout_seconds=timeout_seconds,
        output_format=output_format,
    )
    with catalog_errors():
        found = _examine(options)
    if strict:
        from clusterwright.review.review import strictly

        found = strictly(found)
    sys.stdout.write(_rendered(found, output_format))
    ctx.exit(found.exit_code)


def _rendered(found: Review, output_format: str) -> str:
    if output_format == "json":
        from clusterwright.json_output.diff import diff_json

        return diff_json(found)
    if output_format == "markdown":
        from clusterwright.render.review_markdown import review_markdown

        return review_markdown(found)
    from clusterwright.render.review import review_text
    from clusterwright.render.style import Style

    return review_text(found, Style.of(sys.stdout))


def _examine(options: DiffOptions) -> Review:
    if options.base is not None:
        from clusterwright.cli.diff_versions import examine_base

        return examine_base(options, options.base)
    from clusterwright.cli.diff_deployed import examine_deployed

    return examine_deployed(options)
