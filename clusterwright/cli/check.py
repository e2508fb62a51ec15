"""`clusterwright check`: whether a cluster can be created in its account and region now."""

from __future__ import annotations

import datetime as dt
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import (
    catalog_errors,
    find_storage_or_exit,
    load_or_exit,
    read_prices,
)
from clusterwright.cli.options import (
    FiniteFloatRange,
    fail_on_option,
    format_option,
    offline_option,
    prices_option,
    spec_argument,
    timeout_option,
)
from clusterwright.cli.progress import ProgressLine
from clusterwright.cli.rule_ids import rule_ids

if TYPE_CHECKING:
    from clusterwright.preflight.account_results import RequestPlan
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.engine import Selection
    from clusterwright.preflight.results import CheckResult, Severity

RETIRE_RULE = "CW-S040"

EXIT_CODES = """\b
A rule's status is pass, fail, unknown, skipped or waived. Account rules under --offline and rules
excluded by --only or --skip are skipped. A rule with nothing to check passes.

\b
Exit codes: 3 the command line or the spec is wrong; else 1 a finding is at or above --fail-on;
else 2 something is unknown (with --strict that is 1); else 0. 70 is an internal error.
"""


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """The command line of `clusterwright check`."""

    path: Path
    offline: bool
    only: tuple[str, ...]
    skip: tuple[str, ...]
    fail_on: Severity
    strict: bool
    prices: str | None
    retire: str | None
    timeout_seconds: float
    iam_policy: bool
    request_quotas: bool
    yes: bool
    lead_days: float | None
    request_file: Path | None
    output_format: str


@click.command(epilog=EXIT_CODES)
@spec_argument
@offline_option
@click.option(
    "--only",
    multiple=True,
    metavar="RULE",
    help="Run only these rules: an id, or a family such as CW-Q. May be repeated.",
)
@click.option("--skip", multiple=True, metavar="RULE", help="Skip these rules. May be repeated.")
@fail_on_option("The lowest severity that makes the exit code 1.")
@click.option("--strict", is_flag=True, help="Treat unknown results as findings.")
@prices_option("Your own rates for the budget.  [default: prices.yaml beside the spec]")
@click.option(
    "--retire",
    metavar="STORAGE",
    help="Check that every file of this file system is exported before you delete it: its name, "
    "mount path or id. No other rule runs, unless --only names it.",
)
@timeout_option(60.0)
@click.option(
    "--iam-policy",
    is_flag=True,
    help="Print the read-only IAM policy that this check needs, and call no AWS API.",
)
@click.option(
    "--request-quotas",
    is_flag=True,
    help="Write the quota increases that the cluster needs, ask for confirmation, and file them.",
)
@click.option("--yes", is_flag=True, help="With --request-quotas: file without confirmation.")
@click.option(
    "--lead-days",
    type=FiniteFloatRange(min=0),
    metavar="DAYS",
    help="With --request-quotas: expected days until AWS approves a request "
    "(AWS publishes no figure).",
)
@click.option(
    "--request-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --request-quotas: the file of the text.  [default: quota-request-NAME.md]",
)
@format_option("text", "json", "markdown", "sarif", "junit")
@click.pass_context
@reduced_gc()
def command(ctx: click.Context, /, **options: Any) -> None:
    """Check the cluster of CONFIG against quotas, capacity, network, storage and budget.

    Nothing is created or changed, unless --request-quotas files requests. Offline rules need no
    credentials; account rules read the account and region of the spec with the standard AWS
    configuration (AWS_PROFILE, AWS_ENDPOINT_URL and so on).
    """
    ctx.exit(_check(CheckOptions(**options)))


def _check(options: CheckOptions) -> int:
    """Run the rules, print the result and return the exit code."""
    from clusterwright.preflight import engine
    from clusterwright.preflight.registry import rule_files

    _refuse_combinations(options)
    files = rule_files()
    selection = _selection(options)
    context = _context(options)
    if options.iam_policy:
        from clusterwright.cli.check_policy import policy

        with catalog_errors():
            text = policy(
                files, context, selection, options.output_format, filing=options.request_quotas
            )
        sys.stdout.write(text)
        return 0
    reader, session = None, None
    if any(f.scope == "account" and selection.reason_to_skip(f) is None for f in files):
        from clusterwright.aws.session import AwsSession
        from clusterwright.preflight.facts.reader import AwsFactReader

        session = AwsSession(context.cluster.region)
        progress = ProgressLine(sys.stderr, "reading from AWS")
        reader = AwsFactReader(
            session, deadline_seconds=options.timeout_seconds, progress=progress.show
        )
    with catalog_errors():
        result = engine.run(files, context, reader, selection)
    if reader is not None:
        progress.clear()
    requests = None
    if options.request_quotas:
        from clusterwright.aws.session import AwsSession
        from clusterwright.cli.check_quota_requests import request_quotas

        requests = request_quotas(
            session or AwsSession(context.cluster.region),
            result,
            context,
            yes=options.yes,
            lead_days=options.lead_days,
            path=options.request_file,
        )
    if options.strict:
        result = result.strictly()
    code = result.exit_code(fail_on=options.fail_on)
    sys.stdout.write(_rendered(result, requests, options, code))
    return code


def _refuse_combinations(options: CheckOptions) -> None:
    """Refuse options that exclude or require each other."""
    if options.request_quotas and options.offline:
        raise UserError("--request-quotas reads the account", "leave --offline out")
    only_with_requests = (options.yes, options.lead_days is not None, options.request_file)
    if not options.request_quotas and any(only_with_requests):
        raise UserError("--yes, --lead-days and --request-file require --request-quotas")
    if options.retire is not None and options.offline:
        raise UserError("--retire reads the account", "leave --offline out")


def _selection(options: CheckOptions) -> Selection:
    from clusterwright.preflight.engine import Selection

    only = _rule_ids(options.only, "--only") if options.only else None
    if options.retire is not None:
        only = _rule_ids((RETIRE_RULE,), "--retire") | (only or frozenset())
    skip = _rule_ids(options.skip, "--skip")
    return Selection(only=only, skip=skip, offline=options.offline)


def _context(options: CheckOptions) -> Context:
    """The spec, the catalogue with the user's rates, and the file system to retire."""
    from clusterwright.catalog import load_catalog
    from clusterwright.preflight.context import Context
    from clusterwright.pricing.remembered_prices import recall

    path, output_format = options.path, options.output_format
    spec = load_or_exit(path, command="check", output_format=output_format)
    own = read_prices(path, options.prices, command="check", output_format=output_format)
    retire = options.retire
    return Context(
        spec,
        load_catalog(prices_override=own.rates),
        dt.datetime.now(dt.UTC).date(),
        usage=own.usage,
        terms=own.terms,
        prices=recall(os.environ, spec.cluster.region),
        retire=None if retire is None else find_storage_or_exit(spec.cluster, retire),
    )


def _rendered(
    result: CheckResult,
    requests: RequestPlan | None,
    options: CheckOptions,
    code: int,
) -> str:
    output_format = options.output_format
    if output_format == "sarif":
        from clusterwright import __version__
        from clusterwright.render.sarif import check_sarif

        return check_sarif(result, __version__)
    if output_format == "junit":
        from clusterwright.render.junit import check_junit

        return check_junit(result, fail_on=options.fail_on)
    if output_format == "json":
        from clusterwright.json_output.check import check_json

        return check_json(result, code, requests)
    from clusterwright.render.check import check_markdown, check_text, next_step
    from clusterwright.render.style import Style

    if output_format == "markdown":
        text = check_markdown(result, code)
    else:
        following = next_step(result, str(options.path), offline=options.offline)
        text = check_text(result, Style.of(sys.stdout), following=following)
    if requests is None:
        return text
    from clusterwright.render.quota_request import request_text

    return text + "\n" + request_text(requests)


def _rule_ids(names: tuple[str, ...], option: str) -> frozenset[str]:
    from clusterwright.preflight.registry import named

    return rule_ids(named, names, option, "docs/reference/rules.md")
