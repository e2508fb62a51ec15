"""`clusterwright diff`: what a change of a spec means, before it is merged."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.spec import (
    catalog_of_the_user,
    config_options,
    config_path,
    load_or_exit,
)

if TYPE_CHECKING:
    from clusterwright.cli.diff_versions import Asked
    from clusterwright.preflight.results import Severity
    from clusterwright.review.results import Review

EXIT_CODES = """\b
The verdict is fail where a gate is broken: something that holds data or jobs is replaced or
deleted and `allow_replacement` of the spec does not name it, CloudFormation or a service would
refuse the deployment, a budget is exceeded, or a finding at or above --fail-on is new.

\b
Exit codes: 3 the command line or the spec is wrong; else 1 the verdict is fail; else 2 something
could not be answered (with --strict that is 1); else 0. 70 is a bug of ours.
"""


@click.command(epilog=EXIT_CODES)
@config_options
@click.option(
    "--base",
    metavar="REF",
    help="Compare with CONFIG at this commit, branch or tag; or with another spec file.",
)
@click.option("--deployed", is_flag=True, help="Compare with what is deployed in the account.")
@click.option("--offline", is_flag=True, help="Ask no account: rules that need one are skipped.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="The mildest new finding that breaks the gate.",
)
@click.option("--strict", is_flag=True, help="What could not be answered breaks a gate.")
@click.option(
    "--no-templates",
    is_flag=True,
    help="Do not synthesise: leaves out what becomes of each resource, access and network.",
)
@click.option(
    "--no-change-sets",
    is_flag=True,
    help="With --deployed: read only; make no change set and detect no drift.",
)
@click.option(
    "--prices",
    type=click.Path(),
    metavar="FILE",
    help="Your own rates, for both versions; prices.yaml beside each spec without it.",
)
@click.option(
    "--timeout",
    "timeout_seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="How long AWS may take in all; what is not answered by then is unknown.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
)
@click.pass_context
def command(
    ctx: click.Context,
    config: str | None,
    config_option: str | None,
    environment: str | None,
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
    """Say what changing the cluster of CONFIG means: to the resolved spec, to each resource, to
    data and running jobs, to access and network, to cost, quotas and findings.

    Nothing is created or changed. With --base the templates of both versions are written, each
    with its own version's stacks, and compared by CloudFormation's schemas. With --deployed
    CloudFormation is asked, by change sets that are read and deleted again.
    """
    from clusterwright.cli.diff_versions import Asked

    path = config_path(config, config_option, environment)
    if deployed == (base is not None):
        raise UserError(
            "say what to compare with: either --base REF or --deployed",
            "in a pull request: --base origin/main; after a deployment: --deployed",
        )
    if deployed and offline:
        raise UserError("--deployed reads the account, which --offline does not", "leave one out")
    if no_change_sets and not deployed:
        raise UserError("--no-change-sets goes with --deployed")
    spec = load_or_exit(path, command="diff", output_format=output_format)
    asked = Asked(
        path=Path(path),
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
    with catalog_of_the_user():
        found = _examine(asked)
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


def _examine(asked: Asked) -> Review:
    if asked.base is not None:
        from clusterwright.cli.diff_versions import examine_base

        return examine_base(asked, asked.base)
    from clusterwright.cli.diff_deployed import examine_deployed

    return examine_deployed(asked)
