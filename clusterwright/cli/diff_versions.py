"""The two versions that `diff` compares: read, synthesised, and asked for at AWS."""

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

from clusterwright.cli.cost import read_prices
from clusterwright.cli.errors import UserError
from clusterwright.cli.progress import ProgressLine
from clusterwright.cluster_spec import LoadedSpec, SpecErrors

if TYPE_CHECKING:
    from clusterwright.preflight.context import Context
    from clusterwright.preflight.facts.reader import FactReader
    from clusterwright.preflight.results import Severity
    from clusterwright.review.assembly import Assembly
    from clusterwright.review.results import Review, SpecChange, Unknown


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the command line asks for; `base` is None for what is deployed."""

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
    def known(self) -> dict[str, str]:
        """The place of deployment, for the templates."""
        return _place(self.spec)


def examine_base(asked: Asked, ref: str) -> Review:
    """What has changed since the version of git that `ref` names."""
    from clusterwright.preflight.registry import rule_files
    from clusterwright.review.base import NoBase
    from clusterwright.review.review import Question, Version, review
    from clusterwright.review.synthesis import checkout_of

    unknown: list[Unknown] = []
    progress = ProgressLine(sys.stderr, "writing templates")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clusterwright-")))
        try:
            base = _base(asked, ref, folder)
        except NoBase as error:
            raise UserError(error.message, error.hint) from None
        pool = stack.enter_context(ThreadPoolExecutor(2))
        root = checkout_of(asked.path)
        after: Future[Assembly | None] = pool.submit(
            synthesis_of(asked, asked.spec, root, asked.path, unknown)
        )
        before: Future[Assembly | None] | None = None
        spec = _load_base(base, unknown)
        if spec is not None and base.config is not None:
            run = synthesis_of(asked, spec, base.root or root, base.config, unknown)
            before = pool.submit(run)
        context = context_of(asked, asked.spec, asked.path)
        plan = plan_partings(asked, unknown)
        base_context = None
        if spec is not None and base.config is not None:
            base_context = context_of(asked, spec, base.config)
        templates = (before.result() if before else None, after.result())
        question = Question(
            base=Version(base_context, templates[0], base.root or root),
            change=Version(context, templates[1], root),
            base_name=base.shown,
            new=base.config is None,
            files=rule_files(),
            reader=reader_of(asked),
            offline=asked.offline,
            fail_on=asked.fail_on,
            today=context.today,
            unknown=tuple(dict.fromkeys(unknown)),
            notes=_notes(asked, spec, base),
            plan=plan,
        )
        progress.clear()
        return review(question)


def context_of(asked: Asked, spec: LoadedSpec, config: Path) -> Context:
    """A version's spec with its own prices, those beside it."""
    from clusterwright.catalog import load_catalog
    from clusterwright.preflight.context import Context

    own = read_prices(config, asked.prices, command="diff", output_format=asked.output_format)
    today = dt.datetime.now(dt.UTC).date()
    return Context(
        spec, load_catalog(prices_override=own.rates), today, usage=own.usage, terms=own.terms
    )


def reader_of(asked: Asked) -> FactReader | None:
    """Where account facts come from; each is asked for once for both versions."""
    if asked.offline:
        return None
    from clusterwright.aws.session import AwsSession
    from clusterwright.preflight.facts.reader import AwsFactReader

    return AwsFactReader(
        AwsSession(asked.spec.cluster.region), deadline_seconds=asked.timeout_seconds
    )


def synthesis_of(
    asked: Asked, spec: LoadedSpec, root: Path | None, config: Path, unknown: list[Unknown]
) -> Callable[[], Assembly | None]:
    """The synthesis of a version, to be run beside another; what fails goes to `unknown`."""
    from clusterwright.review.results import Unknown
    from clusterwright.review.synthesis import (
        NotSynthesised,
        Source,
        cache_folder,
        files_of,
        synthesise,
    )

    what = "what CloudFormation does to each resource"

    def run() -> Assembly | None:
        if not asked.templates:
            return None
        if root is None:
            unknown.append(
                Unknown(
                    what,
                    "there is no checkout with app.py and stacks/ to write the templates with",
                    "run it in a checkout of Clusterwright, or leave it out with --no-templates",
                )
            )
            return None
        try:
            return synthesise(
                Source(root.resolve(), config.resolve(), files_of(spec)),
                known=_place(spec),
                cache=cache_folder(os.environ),
            )
        except NotSynthesised as error:
            unknown.append(Unknown(what, error.message, error.hint))
            return None

    return run


def plan_partings(asked: Asked, unknown: list[Unknown]) -> tuple[SpecChange, ...]:
    """Where the spec parts from the plan recorded beside it; what cannot be read is unknown."""
    from clusterwright.review.plan_file import BadPlan, partings, plan_beside
    from clusterwright.review.results import Unknown

    try:
        plan = plan_beside(asked.path)
    except BadPlan as error:
        unknown.append(Unknown("the plan recorded beside the spec", str(error), None))
        return ()
    return () if plan is None else partings(plan, asked.spec.cluster)


@dataclass(frozen=True)
class _Base:
    """The version before: `config` is None where it has no such spec.

    `root` is its checkout; None where the checkout of the change builds it too.
    """

    shown: str
    config: Path | None
    root: Path | None


def _base(asked: Asked, ref: str, folder: Path) -> _Base:
    from clusterwright.review.base import NoBase, commit_of, repository_of, write_tree
    from clusterwright.review.synthesis import is_app

    file = Path(ref)
    is_spec = file.suffix in (".yaml", ".yml", ".json") and file.is_file()
    try:
        root = repository_of(asked.path)
        commit = commit_of(root, ref)
    except NoBase:
        if is_spec:
            return _Base(ref, file, None)
        raise
    tree = folder / "base"
    write_tree(commit, tree)
    config = tree / asked.path.resolve().relative_to(root.resolve())
    return _Base(
        commit.shown, config if config.is_file() else None, tree if is_app(tree) else None
    )


def _load_base(base: _Base, unknown: list[Unknown]) -> LoadedSpec | None:
    """The spec before, as this version of the program reads it."""
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
                f"this version of the program does not take it: {first.message}",
                "compare with a commit whose spec is valid",
            )
        )
        return None


def _notes(asked: Asked, spec: LoadedSpec | None, base: _Base) -> tuple[str, ...]:
    notes = []
    if base.config is None:
        notes.append(f"{asked.path} is not there at {base.shown}: everything is new")
    if spec is not None:
        before, after = spec.cluster, asked.spec.cluster
        for name in ("environment", "account", "region"):
            old, new = getattr(before, name), getattr(after, name)
            if old != new:
                notes.append(
                    f"{name} changes from {old} to {new}: this builds another cluster; what "
                    "stands in the old place stays there, at its cost, until it is destroyed"
                )
    return tuple(notes)


def _place(spec: LoadedSpec) -> dict[str, str]:
    from clusterwright.review.assembly import place

    cluster = spec.cluster
    return place(cluster.account, cluster.region, cluster.partition)
