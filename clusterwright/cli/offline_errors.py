"""The offline check of a spec that a command is about to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterwright.cli.errors import UserError

if TYPE_CHECKING:
    from clusterwright.catalog import Catalog
    from clusterwright.cluster_spec import LoadedSpec


def offline_unknowns(spec: LoadedSpec, catalog: Catalog, hint: str) -> list[str]:
    """Run `clusterwright check --offline`, because no platform supports every type.

    Parameters
    ----------
    hint:
        Options to change, for a finding without a hint.

    Returns
    -------
    What is unknown, a sentence each.

    Raises
    ------
    UserError
        The first error that an offline rule finds.
    """
    import datetime as dt

    from clusterwright.preflight import engine
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.registry import rule_files

    context = Context(spec, catalog, dt.datetime.now(dt.UTC).date())
    result = engine.run(rule_files(), context, None, engine.Selection(offline=True))
    for finding in result.findings:
        if finding.severity == "error":
            raise UserError(
                f"the spec would fail {finding.rule}: {finding.message}", finding.hint or hint
            )
    return [f"{entry.rule}: {entry.message}" for entry in result.unanswered]
