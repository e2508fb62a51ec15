"""`clusterwright check --request-quotas`: write, show, confirm and file quota requests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright import files
from clusterwright.cli.output_files import cannot_write

if TYPE_CHECKING:
    from clusterwright.aws.session import AwsSession
    from clusterwright.preflight.account_results import RequestPlan
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.results import CheckResult


def request_quotas(
    session: AwsSession,
    result: CheckResult,
    context: Context,
    *,
    yes: bool,
    lead_days: float | None,
    path: Path | None,
) -> RequestPlan:
    """Look up open requests, ask for confirmation and file; the text is written in every case.

    Prompts and messages go to stderr, so that stdout holds data only.

    Raises
    ------
    UserError
        The text cannot be written.
    """
    from clusterwright.preflight import quota_requests
    from clusterwright.render.quota_request import request_text, states_text

    path = path or Path(f"quota-request-{context.cluster.environment}.md")
    plan = quota_requests.look(session, quota_requests.plan(result, context, lead_days=lead_days))
    _write(path, request_text(plan))
    click.echo(f"quota requests: {path}", err=True)
    if not plan.to_file:
        return plan
    if not yes:
        if not _at_a_terminal():
            click.echo(
                "quota requests: not filed, because stdin is not a terminal; --yes files them",
                err=True,
            )
            return plan
        click.echo(states_text(plan), err=True)
        count = len(plan.to_file)
        question = f"File {count} {'request' if count == 1 else 'requests'} with Service Quotas?"
        if not click.confirm(question, default=False, err=True):
            return plan
    plan = quota_requests.file(session, plan)
    _write(path, request_text(plan))
    return plan


def _at_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _write(path: Path, text: str) -> None:
    try:
        files.write_over(path, text)
    except OSError as error:
        raise cannot_write(path, error, "--request-file names another file") from None
