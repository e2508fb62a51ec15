"""`diff --deployed`: the deployed stacks, their recorded spec, change sets and drift."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from clusterwright.cli.deployed_templates import deployed_templates
from clusterwright.cli.diff_drift import drift_of
from clusterwright.cli.diff_versions import (
    DiffOptions,
    context_of,
    plan_differences,
    reader_of,
    synthesis_of,
)
from clusterwright.cluster_spec import LoadedSpec, SpecErrors

if TYPE_CHECKING:
    from clusterwright.aws.cloudformation.stacks import Stack
    from clusterwright.aws.session import AwsSession
    from clusterwright.review.assembly import Assembly
    from clusterwright.review.change_set import ChangeSetAnswer
    from clusterwright.review.results import Review, SpecChange, UncheckedResource, Unknown

_NOT_YET = "No export named"
"""Of a stack that imports a value which another stack exports in the same deployment."""


def examine_deployed(options: DiffOptions) -> Review:
    """Review the spec against the stacks deployed in its account and region."""
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.aws.session import AwsSession
    from clusterwright.preflight.registry import rule_files
    from clusterwright.review.results import Unknown
    from clusterwright.review.review import Question, Version, review
    from clusterwright.review.synthesis import checkout_of

    unknown: list[Unknown] = []
    notes: list[str] = []
    session = AwsSession(options.spec.cluster.region)
    root = checkout_of(options.path)
    after = synthesis_of(options, options.spec, root, options.path, unknown)()
    stacks: dict[str, Stack] = {}
    before: Assembly | None = None
    try:
        stacks, before = deployed_templates(
            session, options.spec.cluster.environment, options.pseudo_parameters, unknown
        )
    except AwsUnavailable as refusal:
        unknown.append(Unknown("what is deployed", refusal.message, refusal.hint))
    context = context_of(options, options.spec, options.path)
    spec = _recorded(before, options, unknown) if before is not None and before.stacks else None
    answers: tuple[ChangeSetAnswer, ...] = ()
    drift: tuple[SpecChange, ...] = ()
    unchecked: tuple[UncheckedResource, ...] = ()
    if options.change_sets and before is not None and after is not None:
        answers = _change_sets(options, session, stacks, before, after)
    if options.change_sets and stacks and before is not None:
        drift, unchecked = drift_of(session, before, options.timeout_seconds, unknown)
    plan = plan_differences(options, unknown)
    new = before is not None and not before.stacks
    if new:
        where = f"account {options.spec.cluster.account}, {options.spec.cluster.region}"
        notes.append(f"nothing of {options.spec.cluster.environment} is deployed in {where}")
    question = Question(
        base=Version(
            context_of(options, spec, options.path) if spec is not None else None, before, None
        ),
        change=Version(context, after, root),
        base_name="what is deployed",
        new=new,
        files=rule_files(),
        reader=reader_of(options),
        offline=options.offline,
        fail_on=options.fail_on,
        today=context.today,
        change_sets=answers,
        unknown=tuple(dict.fromkeys(unknown)),
        notes=tuple(notes),
        drift=drift,
        drift_unchecked=unchecked,
        plan=plan,
    )
    return review(question)


def _recorded(before: Assembly, options: DiffOptions, unknown: list[Unknown]) -> LoadedSpec | None:
    """The spec recorded in the deployed templates, as the current version reads it."""
    from clusterwright.platforms.loading import load_cluster
    from clusterwright.review.recorded_spec import recorded_spec
    from clusterwright.review.results import Unknown

    text = recorded_spec(before)
    what = "the deployed spec"
    hint = "compare with the commit that was deployed: --base REF"
    if text is None:
        unknown.append(Unknown(what, "the deployed templates do not record it", hint))
        return None
    with tempfile.TemporaryDirectory(prefix="clusterwright-") as folder:
        file = Path(folder) / f"{options.path.stem}.yaml"
        file.write_text(text, encoding="utf-8")
        try:
            return load_cluster(file)
        except SpecErrors as errors:
            first = next(iter(errors))
            reason = f"the current version of Clusterwright refuses it: {first.message}"
            unknown.append(Unknown(what, reason, hint))
            return None


def _change_sets(
    options: DiffOptions,
    session: AwsSession,
    stacks: Mapping[str, Stack],
    before: Assembly,
    after: Assembly,
) -> tuple[ChangeSetAnswer, ...]:
    """A change set of every deployed stack whose template differs."""
    from clusterwright.aws.cloudformation.change_sets import change_set
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.review.change_set import AwsChange, ChangeSetAnswer

    end = time.monotonic() + options.timeout_seconds

    def ask(name: str) -> ChangeSetAnswer:
        template = after.stacks[name].template
        try:
            found = change_set(
                session, stacks[name], template, deadline_seconds=max(1, end - time.monotonic())
            )
        except AwsUnavailable as refusal:
            return ChangeSetAnswer(name, refusal=refusal.message, hint=refusal.hint)
        changes = tuple(
            AwsChange(c.logical_id, c.type, c.action, c.replacement, c.properties, c.policy)
            for c in found.changes
        )
        if found.warning is None:
            return ChangeSetAnswer(name, changes, rejected=found.refusal)
        hint = None
        if _NOT_YET in found.warning:
            hint = "a change set is complete once the stacks before it are deployed"
        return ChangeSetAnswer(name, changes, refusal=found.warning, hint=hint)

    different = [
        name
        for name, stack in after.stacks.items()
        if name in stacks
        and (name not in before.stacks or before.stacks[name].template != stack.template)
    ]
    with ThreadPoolExecutor(8) as pool:
        return tuple(pool.map(ask, different))
