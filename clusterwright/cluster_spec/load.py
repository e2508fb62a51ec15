"""Loading of a spec: layers, positions, validation; returns a cluster or raises all problems."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Literal

from clusterwright.cluster_spec.document import Document, parse_document, read_document
from clusterwright.cluster_spec.layering import BASE_NAME, Layers, lay
from clusterwright.cluster_spec.problems import (
    Path,
    Position,
    Problem,
    SpecErrors,
    overlap,
    path_text,
)
from clusterwright.cluster_spec.resolve import Resolved, resolve

if TYPE_CHECKING:
    from clusterwright.cluster_spec.models.cluster import Cluster
    from clusterwright.cluster_spec.validation.validator import Validator

ValidatorsOf = Callable[["Cluster"], Sequence["Validator"]]
"""Returns the validators that apply to a cluster, those of the phase `spec` first."""

_ANSWER_KEYS = {"schema_version", "command", "exit_code", "origins"}


@dataclass(frozen=True)
class LoadedSpec:
    """A valid spec and the position of each value."""

    cluster: Cluster
    file: str
    layers: Layers
    derived: frozenset[Path] = frozenset()
    """Paths of derived values, including everything below them."""

    def position(self, path: Sequence[str | int]) -> Position | None:
        """Return the position of the value at `path`, or of its nearest written parent."""
        return self.layers.position(tuple(path))

    def origin(self, path: Sequence[str | int]) -> Position | Literal["default", "derived"]:
        """Return the origin of the value at `path`: a position, a default, or other values."""
        path = tuple(path)
        if any(path[: len(known)] == known for known in self.derived):
            return "derived"
        return self.layers.written(path) or "default"

    def value(self, path: Sequence[str | int]) -> Any:
        """Return the resolved value at `path`. Raises KeyError or IndexError if there is none."""
        value: Any = self.resolved()
        for part in path:
            value = value[part]
        return value

    def resolved(self) -> dict[str, Any]:
        """Return the whole spec with every default, as plain data (JSON types).

        Keys without effect (such as the size of an existing file system) are omitted.
        """
        from clusterwright.cluster_spec.unused_fields import without_unused_fields

        return without_unused_fields(
            self.cluster, self.cluster.model_dump(mode="json", by_alias=True)
        )


def load_spec(
    path: str | os.PathLike[str], *, validators: ValidatorsOf | None = None
) -> LoadedSpec:
    """Load `path`, merged with `base.yaml` in the same folder if there is one.

    Raises
    ------
    SpecErrors
        Every problem, with its position.
    """
    return examine(_documents(FilePath(path)), validators=validators)


def load_text(text: str, path: FilePath, *, validators: ValidatorsOf | None = None) -> LoadedSpec:
    """Load a text as `load_spec` would load it from `path`, where it need not be written.

    Raises
    ------
    SpecErrors
        Every problem, with its position.
    """
    return examine(_documents(path, text), validators=validators)


def examine(
    documents: tuple[Document, ...], *, validators: ValidatorsOf | None = None
) -> LoadedSpec:
    """Return the spec of the documents, the last one on top. Raises SpecErrors."""
    layers = lay(documents)
    resolved = resolve(layers)
    known = [p for document in documents for p in document.problems]
    known += [*layers.problems, *resolved.problems]
    unread = [Problem("", path) for document in documents for path in document.skipped]
    cluster, found = _examine(resolved, [*known, *unread], validators)
    incomplete = [path for document in documents for path in document.incomplete]
    found = [p for p in found if not (p.missing_key and p.path[:-1] in incomplete)]
    if known or found or cluster is None:
        raise SpecErrors(_placed(problem, layers) for problem in (*known, *found))
    return LoadedSpec(cluster, documents[-1].file, layers, frozenset(resolved.derived))


def _documents(file: FilePath, text: str | None = None) -> tuple[Document, ...]:
    """Read the file and `base.yaml` below it; problems of both are raised together.

    `text` stands for the content of the file.
    """
    files = [file]
    base = file.parent / BASE_NAME
    if file.name != BASE_NAME and base.is_file():
        files.insert(0, base)
    documents: list[Document] = []
    problems: list[Problem] = []
    for one in files:
        try:
            documents.append(
                parse_document(text, os.fspath(file))
                if text is not None and one is file
                else read_document(one)
            )
        except SpecErrors as errors:
            problems += errors
    if problems:
        raise SpecErrors(problems)
    _open_answer(documents[-1])
    return tuple(documents)


def _open_answer(document: Document) -> None:
    """The output of `expand --format json` is a spec too, without the keys around it."""
    if document.data.get("command") == "expand" and "schema_version" in document.data:
        for key in _ANSWER_KEYS:
            document.data.pop(key, None)


def _examine(
    resolved: Resolved, known: list[Problem], validators: ValidatorsOf | None
) -> tuple[Cluster | None, list[Problem]]:
    """Return the cluster if it is valid, and the problems in addition to `known`."""
    from pydantic import ValidationError

    from clusterwright.cluster_spec.models.cluster import Cluster

    found: list[Problem] = []
    touched = [problem.path for problem in known]
    try:
        cluster = Cluster.model_validate(resolved.data)
    except ValidationError as error:
        from clusterwright.cluster_spec.error_recovery import mended
        from clusterwright.cluster_spec.model_errors import translate

        all_found = translate(error, resolved.data, resolved.written)
        # A problem of a derived value is reported at the value from which it is derived.
        echoes = [path for path in (*(k.path for k in known), *resolved.derived) if path]
        found = [p for p in all_found if not _echo(p, echoes)]
        if not (found or known):
            found = all_found
        whole = mended(resolved.data, [*known, *all_found])
        if whole is None:
            return None, found
        touched += whole[1]
        try:
            cluster = Cluster.model_validate(whole[0])
        except ValidationError:
            # The replaced values are not valid together either: report what is known.
            return None, found
    if ("platform",) in touched:
        # Every other problem depends on the platform.
        return cluster, found
    consistency = _found_by(validators, cluster)
    if touched:
        from clusterwright.cluster_spec.error_recovery import untouched

        consistency = untouched(consistency, touched)
    return cluster, [*found, *consistency]


def _found_by(validators: ValidatorsOf | None, cluster: Cluster) -> list[Problem]:
    """Return what validators find, with at most one problem per value and phase.

    The first validator that finds a value wrong has the more specific message. Where a name does
    not exist (phase `catalogue`), nothing else is reported about what it belongs to.
    """
    if validators is None:
        from clusterwright.cluster_spec.validation import spec_validators

        validators = spec_validators
    every = validators(cluster)
    found = [p for each in every if each.phase == "spec" for p in each.problems(cluster)]
    wrong = {problem.path for problem in found}
    further = [
        problem
        for validator in every
        if validator.phase == "catalogue"
        for problem in validator.problems(cluster)
        if problem.path not in wrong
    ]
    unnamed = {problem.path for problem in further}
    return [p for p in found if p.other_path not in unnamed] + further


def _echo(problem: Problem, echoes: list[Path]) -> bool:
    return bool(problem.path) and any(overlap(problem.path, echo) for echo in echoes)


def _placed(problem: Problem, layers: Layers) -> Problem:
    position = problem.position
    if position is None and problem.missing_key:
        position = layers.empty_key(problem.path)
        position = position or layers.position(problem.path[:-1], on_key=True)
    if position is None:
        position = layers.position(problem.path, on_key=problem.on_key)
    if position is None:
        position = Position(layers.documents[-1].file, 1, 1)
    note = problem.note
    if problem.other_path is not None and note is None and not problem.on_key:
        other = layers.written(problem.other_path)
        if other is not None and (other.file, other.line) != (position.file, position.line):
            note = f"see {path_text(problem.other_path)} at {other.file}:{other.line}"
    names_its_key = problem.missing_key or problem.on_key
    where = path_text(problem.path[:-1] if names_its_key else problem.path)
    message = problem.message
    if where and not message.startswith(where):
        message = f"{where}: {message}"
    return replace(problem, message=message, note=note, position=position)
