"""The two versions that `diff` compares: their specs, templates and account facts."""

from __future__ import annotations

import datetime as dt
import os
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import read_prices
from clusterwright.cli.progress import ProgressLine
from clusterwright.cluster_spec import LoadedSpec, SpecErrors

if TYPE_CHECKING:
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.facts.reader import FactReader
    from clusterwright.preflight.results import Severity
    from clusterwright.review.assembly import Assembly
    from clusterwright.review.results import Review, SpecChange, Unknown


@dataclass(frozen=True, kw_only=True)
class DiffOptions:
    """The command line of `clusterwright diff`; `base` is None with --deployed."""

    path: Path
    spec: LoadedSpec
    base: str | None
    offline: bool
    fail_on: Severity
    templates: bool
    change_sets: bool
    prices: str | None
    timeout_seconds: float
    output_format: str

    @property
    def pseudo_parameters(self) -> dict[str, str]:
        """Account, region and partition of the deployment, for the templates."""
        return _pseudo_parameters(self.spec)


def examine_base(options: DiffOptions, ref: str) -> Review:
    """Review the change since the commit or file that `ref` names."""
    from clusterwright.preflight.registry import rule_files
    from clusterwright.review.base_version import BaseNotFound
    from clusterwright.review.review import Question, Version, review
    from clusterwright.review.synthesis import checkout_of

    unknown: list[Unknown] = []
    progress = ProgressLine(sys.stderr, "synthesising templates")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clusterwright-")))
        try:
            base = _base(options, ref, folder)
        except BaseNotFound as error:
            raise UserError(error.message, error.hint) from None
        pool = stack.enter_context(ThreadPoolExecutor(2))
        root = checkout_of(options.path)
        after: Future[Assembly | None] = pool.submit(
            synthesis_of(options, options.spec, root, options.path, unknown)
        )
        before: Future[Assembly | None] | None = None
        spec = _load_base(base, unknown)
        if spec is not None and base.config is not None:
            run = synthesis_of(options, spec, base.root or root, base.config, unknown)
            before = pool.submit(run)
        context = context_of(options, options.spec, options.path)
        plan = plan_differences(options, unknown)
        base_context = None
        if spec is not None and base.config is not None:
            base_context = context_of(options, spec, base.config)
        templates = (before.result() if before else None, after.result())
        question = Question(
            base=Version(base_context, templates[0], base.root or root),
            change=Version(context, templates[1], root),
            base_name=base.shown,
            new=base.config is None,
            files=rule_files(),
            reader=reader_of(options),
            offline=options.offline,
            fail_on=options.fail_on,
            today=context.today,
            unknown=tuple(dict.fromkeys(unknown)),
            notes=_notes(options, spec, base),
            plan=plan,
        )
        progress.clear()
        return review(question)


def context_of(options: DiffOptions, spec: LoadedSpec, config: Path) -> Context:
    """The context of one version: its spec with the prices beside it."""
    from clusterwright.catalog import load_catalog
    from clusterwright.preflight.context import Context
    from clusterwright.pricing.remembered_prices import recall

    own = read_prices(config, options.prices, command="diff", output_format=options.output_format)
    today = dt.datetime.now(dt.UTC).date()
    return Context(
        spec,
        load_catalog(prices_override=own.rates),
        today,
        usage=own.usage,
        terms=own.terms,
        prices=recall(os.environ, spec.cluster.region),
    )


def reader_of(options: DiffOptions) -> FactReader | None:
    """The reader of account facts, which reads each fact once for both versions."""
    if options.offline:
        return None
    from clusterwright.aws.session import AwsSession
    from clusterwright.preflight.facts.reader import AwsFactReader

    return AwsFactReader(
        AwsSession(options.spec.cluster.region), deadline_seconds=options.timeout_seconds
    )


def synthesis_of(
    options: DiffOptions, spec: LoadedSpec, root: Path | None, config: Path, unknown: list[Unknown]
) -> Callable[[], Assembly | None]:
    """The synthesis of one version, to run in a thread; failures are added to `unknown`."""
    from clusterwright.review.results import Unknown
    from clusterwright.review.synthesis import (
        NotSynthesised,
        Source,
        cache_folder,
        files_of,
        synthesise,
    )

    what = "the effect on each resource"

    def run() -> Assembly | None:
        if not options.templates:
            return None
        if root is None:
            unknown.append(
                Unknown(
                    what,
                    "no checkout with app.py and stacks/ was found to synthesise the templates",
                    "run it in a checkout of Clusterwright, or use --no-templates",
                )
            )
            return None
        try:
            return synthesise(
                Source(root.resolve(), config.resolve(), files_of(spec)),
                pseudo_parameters=_pseudo_parameters(spec),
                cache=cache_folder(os.environ),
            )
        except NotSynthesised as error:
            unknown.append(Unknown(what, error.message, error.hint))
            return None

    return run


def plan_differences(options: DiffOptions, unknown: list[Unknown]) -> tuple[SpecChange, ...]:
    """Differences between the spec and the plan recorded beside it."""
    from clusterwright.pricing.plan_files import InvalidPlan, plan_beside
    from clusterwright.review.recorded_plan import differences
    from clusterwright.review.results import Unknown

    try:
        plan = plan_beside(options.path)
    except InvalidPlan as error:
        unknown.append(Unknown("the plan recorded beside the spec", str(error), None))
        return ()
    return () if plan is None else differences(plan, options.spec.cluster)


@dataclass(frozen=True)
class _Base:
    """The base version.

    `config` is None where the base has no such spec; `root` is None where the base is synthesised
    by the checkout of the change.
    """

    shown: str
    config: Path | None
    root: Path | None


def _base(options: DiffOptions, ref: str, folder: Path) -> _Base:
    from clusterwright.review.base_version import (
        BaseNotFound,
        commit_of,
        repository_of,
        write_tree,
    )
    from clusterwright.review.synthesis import is_app

    file = Path(ref)
    is_spec = file.suffix in (".yaml", ".yml", ".json") and file.is_file()
    try:
        root = repository_of(options.path)
        commit = commit_of(root, ref)
    except BaseNotFound:
        if is_spec:
            return _Base(ref, file, None)
        raise
    tree = folder / "base"
    write_tree(commit, tree)
    config = tree / options.path.resolve().relative_to(root.resolve())
    return _Base(
        commit.shown, config if config.is_file() else None, tree if is_app(tree) else None
    )


def _load_base(base: _Base, unknown: list[Unknown]) -> LoadedSpec | None:
    """The base spec, as the current version of the program reads it."""
    from clusterwright.platforms.loading import load_cluster
    from clusterwright.review.results import Unknown

    if base.config is None:
        return None
    try:
        return load_cluster(base.config)
    except SpecErrors as errors:
        first = next(iter(errors))
        unknown.append(
            Unknown(
                f"the spec at {base.shown}",
                f"the current version of Clusterwright refuses it: {first.message}",
                "compare with a commit whose spec is valid",
            )
        )
        return None


def _notes(options: DiffOptions, spec: LoadedSpec | None, base: _Base) -> tuple[str, ...]:
    notes = []
    if base.config is None:
        notes.append(f"{options.path} does not exist at {base.shown}: everything is new")
    if spec is not None:
        before, after = spec.cluster, options.spec.cluster
        for name in ("environment", "account", "region"):
            old, new = getattr(before, name), getattr(after, name)
            if old != new:
                notes.append(
                    f"{name} changes from {old} to {new}: this creates another cluster; the old "
                    "one keeps running, at its cost, until it is destroyed"
                )
    return tuple(notes)


def _pseudo_parameters(spec: LoadedSpec) -> dict[str, str]:
    from clusterwright.review.assembly import pseudo_parameters

    cluster = spec.cluster
    return pseudo_parameters(cluster.account, cluster.region, cluster.partition)
