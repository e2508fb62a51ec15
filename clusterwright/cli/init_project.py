"""`clusterwright init --project`: a repository for a team's specs."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.output_files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.cluster_spec.init_template import Choices


def write_project(
    platform: str,
    choices: Choices,
    folder: Path,
    *,
    force: bool,
    error_of: Callable[[SpecErrors], UserError],
) -> None:
    """Write the project; nothing is written if its spec is invalid or a file exists.

    Raises
    ------
    UserError
        A file exists and `force` is not given, the folder cannot be created, or the spec is
        invalid, with the message of `error_of`.
    """
    from clusterwright.cluster_spec.project_template import project_files

    files = project_files(platform, choices)
    _check_folder(folder, files, force)
    spec = f"configs/{choices.environment}.yaml"
    _check_spec(files, spec, error_of)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text, force)
    click.echo(f"{folder} is written; next: see {folder / 'README.md'}", err=True)


def _check_folder(folder: Path, files: Mapping[str, str], force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is not a directory", "name a new directory")
    if not folder.parent.is_dir():
        raise UserError(f"{folder.parent} does not exist", f"mkdir -p {folder.parent}")
    existing = [name for name in files if os.path.lexists(folder / name)]
    if existing and not force:
        raise UserError(
            f"{folder / existing[0]} exists and is not overwritten",
            "name a new directory, or use --force",
        )


def _check_spec(
    files: Mapping[str, str], spec: str, error_of: Callable[[SpecErrors], UserError]
) -> None:
    """Load the spec with its base.yaml, so that the project starts valid."""
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.platforms.loading import load_cluster

    with tempfile.TemporaryDirectory(prefix="clusterwright-") as name:
        configs = Path(name) / "configs"
        configs.mkdir()
        for path in ("configs/base.yaml", spec):
            (Path(name) / path).write_text(files[path], encoding="utf-8")
        try:
            load_cluster(Path(name) / spec)
        except SpecErrors as errors:
            raise error_of(errors) from None
