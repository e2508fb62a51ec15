"""`clusterwright check --iam-policy`: the IAM policy that a check needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError

if TYPE_CHECKING:
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.engine import Selection
    from clusterwright.preflight.registry import RuleFile


def policy(
    files: Sequence[RuleFile],
    context: Context,
    selection: Selection,
    output_format: str,
    *,
    filing: bool,
) -> str:
    """The read-only policy of the selected rules; with `filing`, what filing requests needs too.

    Raises
    ------
    UserError
        No selected rule needs a permission, or the format cannot hold a policy.
    """
    from clusterwright.json_output.check import policy_json
    from clusterwright.preflight import engine
    from clusterwright.preflight.facts.account import AppliedQuota
    from clusterwright.preflight.facts.fact import Place
    from clusterwright.preflight.iam_policy import (
        MAXIMUM_CHARACTERS,
        RequiresActions,
        document,
        permissions,
    )
    from clusterwright.preflight.quota_requests import Filing
    from clusterwright.render.policy import characters, policy_text

    if output_format not in ("text", "json"):
        raise UserError(
            f"--iam-policy does not support --format {output_format}", "--format text or json"
        )
    needed: dict[str, Sequence[RequiresActions]] = dict(engine.needed(files, context, selection))
    if filing:
        quotas = {f for facts in needed.values() for f in facts if isinstance(f, AppliedQuota)}
        needed["--request-quotas"] = [Filing(quota.service, quota.code) for quota in quotas]
    cluster = context.cluster
    found = permissions(needed, Place(cluster.partition, cluster.region, cluster.account))
    if not found:
        raise UserError(
            "no selected rule needs a permission",
            "leave --offline, --only and --skip out",
        )
    made = document(found)
    size = characters(made)
    if size > MAXIMUM_CHARACTERS:
        click.echo(
            f"note: {size:,} characters, and a managed policy holds at most "
            f"{MAXIMUM_CHARACTERS:,}: split it by statement, or make it an inline policy of a "
            "role",
            err=True,
        )
    return policy_json(made, found) if output_format == "json" else policy_text(made)
