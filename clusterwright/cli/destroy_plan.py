"""`clusterwright destroy-plan`: what the deletion of a cluster does."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.inputs import catalog_errors, load_or_exit
from clusterwright.cli.options import (
    format_option,
    offline_option,
    prices_option,
    spec_argument,
    timeout_option,
)

if TYPE_CHECKING:
    from clusterwright.cli.diff_versions import DiffOptions
    from clusterwright.review.deletion_results import DeletionPlan

EXIT_CODES = """\b
Exit codes: 3 the command line or the spec is wrong; else 1 `cdk destroy --all` would stop; else 2
something could not be read; else 0. 70 is an internal error.
"""


@click.command(epilog=EXIT_CODES)
@spec_argument
@offline_option
@prices_option("Your own rates.  [default: prices.yaml beside the spec]")
@timeout_option(120.0)
@format_option("text", "json", "markdown")
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    offline: bool,
    prices: str | None,
    timeout_seconds: float,
    output_format: str,
) -> None:
    """Print what deleting the cluster of CONFIG does: the commands in their order, what stops
    them, what is lost for ever, what remains in the account, and what that costs.

    Nothing is created, changed or deleted. The templates are synthesised. Unless --offline is
    given the account is read: stacks and their protection, buckets, and what services and
    programs on the cluster created outside the stacks.
    """
    from clusterwright.cli.diff_versions import DiffOptions

    spec = load_or_exit(path, command="destroy-plan", output_format=output_format)
    options = DiffOptions(
        path=path,
        spec=spec,
        base=None,
        offline=offline,
        fail_on="error",
        templates=True,
        change_sets=False,
        prices=prices,
        timeout_seconds=timeout_seconds,
        output_format=output_format,
    )
    with catalog_errors():
        plan = _plan(options)
    sys.stdout.write(_rendered(plan, output_format))
    ctx.exit(plan.exit_code)


def cdk_words(path: Path) -> str:
    """The words that select the spec for the CDK."""
    if path.parent == Path("configs") and path.suffix == ".yaml":
        return f"-c env={path.stem}"
    return f"-c config={shlex.quote(str(path))}"


def _plan(options: DiffOptions) -> DeletionPlan:
    from clusterwright.cli.destroy_plan_account import account_facts
    from clusterwright.cli.diff_versions import context_of, synthesis_of
    from clusterwright.review.assembly import EMPTY
    from clusterwright.review.deletion import deletion_plan
    from clusterwright.review.results import Unknown
    from clusterwright.review.synthesis import checkout_of

    unknown: list[Unknown] = []
    root = checkout_of(options.path)
    assembly = synthesis_of(options, options.spec, root, options.path, unknown)()
    context = context_of(options, options.spec, options.path)
    account = None
    if not options.offline:
        account = account_facts(options.spec.cluster, assembly or EMPTY)
    return deletion_plan(
        options.spec.cluster,
        assembly or EMPTY,
        context.bill,
        file=options.spec.file,
        config=cdk_words(options.path),
        account=account,
        unknown=[Unknown("the stacks", entry.reason, entry.hint) for entry in unknown],
    )


def _rendered(plan: DeletionPlan, output_format: str) -> str:
    if output_format == "json":
        from clusterwright.json_output.destroy_plan import destroy_plan_json

        return destroy_plan_json(plan)
    from clusterwright.render.deletion import deletion_markdown, deletion_text

    if output_format == "markdown":
        return deletion_markdown(plan)
    from clusterwright.render.style import Style

    return deletion_text(plan, Style.of(sys.stdout))
