"""What `clusterwright check` does with an account beyond trying rules: a policy, and requests."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError

if TYPE_CHECKING:
    from clusterwright.aws.session import AwsSession
    from clusterwright.preflight.account_results import RequestPlan
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.engine import Selection
    from clusterwright.preflight.registry import RuleFile
    from clusterwright.preflight.results import CheckResult


def policy(
    files: Sequence[RuleFile],
    context: Context,
    selection: Selection,
    output_format: str,
    *,
    filing: bool,
) -> str:
    """The policy that this check needs, and with `filing` what filing requests needs too.

    Raises
    ------
    UserError
        None of the chosen rules needs a permission, or the format cannot hold a policy.
    """
    from clusterwright.json_output.check import policy_json
    from clusterwright.preflight import engine
    from clusterwright.preflight.facts.account import AppliedQuota
    from clusterwright.preflight.facts.fact import Place
    from clusterwright.preflight.iam_policy import MAXIMUM_CHARACTERS, Needy, document, permissions
    from clusterwright.preflight.quota_requests import Filing
    from clusterwright.render.policy import characters, policy_text

    if output_format not in ("text", "json"):
        raise UserError(f"--iam-policy has no form as {output_format}", "--format text or json")
    needed: dict[str, Sequence[Needy]] = dict(engine.needed(files, context, selection))
    if filing:
        quotas = {f for facts in needed.values() for f in facts if isinstance(f, AppliedQuota)}
        needed["--request-quotas"] = [Filing(quota.service, quota.code) for quota in quotas]
    cluster = context.cluster
    found = permissions(needed, Place(cluster.partition, cluster.region, cluster.account))
    if not found:
        raise UserError(
            "no rule that was chosen needs a permission",
            "leave --offline, --only and --skip out",
        )
    made = document(found)
    size = characters(made)
    if size > MAXIMUM_CHARACTERS:
        click.echo(
            f"note: {size:,} characters; a managed policy holds {MAXIMUM_CHARACTERS:,}: split it "
            "by statement, or make it an inline policy of a role",
            err=True,
        )
    return policy_json(made, found) if output_format == "json" else policy_text(made)


def request_quotas(
    session: AwsSession,
    result: CheckResult,
    context: Context,
    *,
    yes: bool,
    lead_days: float | None,
    path: Path | None,
) -> RequestPlan:
    """Look up, show, ask and file; the text is written in every case.

    What is asked and answered goes to stderr and the terminal, so that stdout stays data.

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
                "quota requests: nothing is filed without a terminal to ask at; --yes files them",
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
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", "--request-file names another file") from None
