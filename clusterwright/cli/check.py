"""`clusterwright check`: can this cluster be created, here and now?"""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.collector import collecting_seldom
from clusterwright.cli.cost import find_storage_or_exit, read_prices
from clusterwright.cli.errors import UserError
from clusterwright.cli.progress import ProgressLine
from clusterwright.cli.spec import (
    catalog_of_the_user,
    config_options,
    config_path,
    load_or_exit,
)

if TYPE_CHECKING:
    from clusterwright.preflight.account_results import RequestPlan
    from clusterwright.preflight.results import CheckResult, Severity

RETIRE_RULE = "CW-S040"

EXIT_CODES = """\b
A rule's status is pass, fail, unknown, skipped or waived. Account rules under --offline and rules
left out by --only or --skip are skipped. A rule that finds nothing to look at passes.

\b
Exit codes: 3 the command line or the spec is wrong; else 1 a finding is at or above --fail-on;
else 2 something could not be answered (with --strict that is 1); else 0. 70 is a bug of ours.
"""


@click.command(epilog=EXIT_CODES)
@config_options
@click.option("--offline", is_flag=True, help="Ask no account: rules that need one are skipped.")
@click.option(
    "--only",
    multiple=True,
    metavar="RULE",
    help="Run these rules alone: an id, or a family such as CW-Q. May be repeated.",
)
@click.option(
    "--skip", multiple=True, metavar="RULE", help="Leave these rules out. May be repeated."
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="The mildest finding that makes the exit code 1.",
)
@click.option("--strict", is_flag=True, help="What could not be answered is a finding.")
@click.option(
    "--prices",
    type=click.Path(),
    metavar="FILE",
    help="Your own rates for the budget; prices.yaml beside the spec without it.",
)
@click.option(
    "--retire",
    metavar="STORAGE",
    help="Prove that every file of this file system is exported, before it is deleted: its name, "
    "mount path or id. Only that is checked, unless --only says more.",
)
@click.option(
    "--timeout",
    "timeout_seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long AWS may take in all; what is not answered by then is unknown.",
)
@click.option(
    "--iam-policy",
    is_flag=True,
    help="Print the read-only policy that this check needs, and ask nobody.",
)
@click.option(
    "--request-quotas",
    is_flag=True,
    help="Write what to ask of Service Quotas, ask you, and file it.",
)
@click.option("--yes", is_flag=True, help="With --request-quotas: file without asking.")
@click.option(
    "--lead-days",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="With --request-quotas: how long AWS takes, which no source states.",
)
@click.option(
    "--request-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --request-quotas: where the text goes.  [default: quota-request-NAME.md]",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "markdown", "sarif", "junit"]),
    default="text",
    show_default=True,
)
@click.pass_context
@collecting_seldom()
def command(
    ctx: click.Context,
    config: str | None,
    config_option: str | None,
    environment: str | None,
    offline: bool,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    fail_on: Severity,
    strict: bool,
    prices: str | None,
    retire: str | None,
    timeout_seconds: float,
    iam_policy: bool,
    request_quotas: bool,
    yes: bool,
    lead_days: float | None,
    request_file: Path | None,
    output_format: str,
) -> None:
    """Try the cluster of CONFIG against quotas, capacity, network, storage and budget.

    Nothing is created or changed, unless --request-quotas files requests. Offline rules need no
    credentials; account rules read the account and region of the spec with the standard AWS
    configuration (AWS_PROFILE, AWS_ENDPOINT_URL and the like).
    """
    from clusterwright.catalog import load_catalog
    from clusterwright.preflight import engine
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.registry import rule_files

    path = config_path(config, config_option, environment)
    if request_quotas and offline:
        raise UserError("--request-quotas needs the account", "leave --offline out")
    if not request_quotas and (yes or lead_days is not None or request_file is not None):
        raise UserError("--yes, --lead-days and --request-file go with --request-quotas")
    if retire is not None and offline:
        raise UserError("--retire needs the account", "leave --offline out")
    files = rule_files()
    wanted = _named(only, "--only") if only else None
    if retire is not None:
        wanted = _named((RETIRE_RULE,), "--retire") | (wanted or frozenset())
    selection = engine.Selection(
        only=wanted,
        skip=_named(skip, "--skip"),
        offline=offline,
    )
    spec = load_or_exit(path, command="check", output_format=output_format)
    own = read_prices(path, prices, command="check", output_format=output_format)
    context = Context(
        spec,
        load_catalog(prices_override=own.rates),
        dt.datetime.now(dt.UTC).date(),
        usage=own.usage,
        terms=own.terms,
        retire=None if retire is None else find_storage_or_exit(spec.cluster, retire),
    )
    if iam_policy:
        from clusterwright.cli.check_account import policy

        with catalog_of_the_user():
            sys.stdout.write(
                policy(files, context, selection, output_format, filing=request_quotas)
            )
        return
    reader = None
    if any(f.scope == "account" and selection.reason_to_skip(f) is None for f in files):
        from clusterwright.aws.session import AwsSession
        from clusterwright.preflight.facts.reader import AwsFactReader

        session = AwsSession(spec.cluster.region)
        progress = ProgressLine(sys.stderr, "asking AWS")
        reader = AwsFactReader(session, deadline_seconds=timeout_seconds, progress=progress.show)
    with catalog_of_the_user():
        result = engine.run(files, context, reader, selection)
    if reader is not None:
        progress.clear()
    requests = None
    if request_quotas:
        from clusterwright.aws.session import AwsSession
        from clusterwright.cli.check_account import request_quotas as requested

        requests = requested(
            AwsSession(spec.cluster.region) if reader is None else session,
            result,
            context,
            yes=yes,
            lead_days=lead_days,
            path=request_file,
        )
    if strict:
        result = result.strictly()
    code = result.exit_code(fail_on=fail_on)
    sys.stdout.write(_rendered(result, requests, output_format, code, fail_on))
    ctx.exit(code)


def _rendered(
    result: CheckResult,
    requests: RequestPlan | None,
    output_format: str,
    code: int,
    fail_on: Severity,
) -> str:
    if output_format == "sarif":
        from clusterwright import __version__
        from clusterwright.render.sarif import check_sarif

        return check_sarif(result, __version__)
    if output_format == "junit":
        from clusterwright.render.junit import check_junit

        return check_junit(result, fail_on=fail_on)
    from clusterwright.render import check

    if requests is None:
        if output_format == "json":
            from clusterwright.json_output.check import check_json

            return check_json(result, code)
        if output_format == "markdown":
            return check.check_markdown(result, code)
        from clusterwright.render.style import Style

        return check.check_text(result, Style.of(sys.stdout))
    from clusterwright.render.quota_request import request_text

    if output_format == "json":
        from clusterwright.json_output.check import check_json

        return check_json(result, code, requests)
    if output_format == "markdown":
        return check.check_markdown(result, code) + "\n" + request_text(requests)
    from clusterwright.render.style import Style

    return check.check_text(result, Style.of(sys.stdout)) + "\n" + request_text(requests)


def _named(names: tuple[str, ...], option: str) -> frozenset[str]:
    from clusterwright.preflight.registry import UnknownRule, named

    given = [part.strip() for name in names for part in name.split(",")]
    try:
        return named(given)
    except UnknownRule as error:
        hint = f"did you mean {error.near}?" if error.near else "docs/reference/rules.md lists all"
        raise UserError(f"{option}: there is no rule {error.name!r}", hint) from None
