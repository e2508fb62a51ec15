"""Loading of a command's inputs: the spec, the user's prices, the catalogue."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.errors import UserError

if TYPE_CHECKING:
    from clusterwright.cluster_spec import LoadedSpec, SpecErrors
    from clusterwright.cluster_spec.models import Cluster
    from clusterwright.cost.bill_extras import FileSystemRef
    from clusterwright.cost.user_prices import UserPrices

EXIT_INVALID = 3


@contextmanager
def catalog_errors() -> Iterator[None]:
    """Report a catalogue directory that cannot be read as an error of the user (exit 3)."""
    from clusterwright.catalog import CatalogError

    try:
        yield
    except CatalogError as error:
        raise UserError(error.message, error.hint) from None


def load_or_exit(path: str | Path, *, command: str, output_format: str = "text") -> LoadedSpec:
    """Load the spec at `path`; where it is wrong, print every problem on stderr and exit 3.

    With `output_format` json, stdout holds the same problems as JSON.
    """
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.platforms.loading import load_cluster

    try:
        with catalog_errors():
            return load_cluster(path)
    except SpecErrors as errors:
        show_problems(errors, command=command, output_format=output_format)
        raise click.exceptions.Exit(EXIT_INVALID) from None


def show_problems(errors: SpecErrors, *, command: str, output_format: str = "text") -> None:
    """Print the problems as `load_or_exit` does, without exiting."""
    from clusterwright.render.problems import problems_text
    from clusterwright.render.style import Style

    sys.stderr.write(problems_text(errors, Style.of(sys.stderr)))
    if output_format == "json":
        from clusterwright.json_output.base import problems_json

        sys.stdout.write(problems_json(command, errors.problems))


def read_prices(
    config: Path, prices: str | None, *, command: str, output_format: str
) -> UserPrices:
    """The user's prices: the named file, else prices.yaml beside the spec; exit 3 if invalid."""
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.cost.user_prices import UserPrices
    from clusterwright.pricing import price_files

    path = Path(prices) if prices is not None else price_files.find(config)
    if path is None:
        return UserPrices()
    try:
        return price_files.read(path)
    except SpecErrors as errors:
        show_problems(errors, command=command, output_format=output_format)
        raise click.exceptions.Exit(EXIT_INVALID) from None


def find_storage_or_exit(cluster: Cluster, text: str) -> FileSystemRef:
    """The file system of the spec that `--retire` names.

    Raises
    ------
    UserError
        The spec has no such file system.
    """
    from clusterwright.cost.retiring import file_systems, find_file_system

    found = find_file_system(cluster, text)
    if found is None:
        known = ", ".join(f"{fs.name} ({fs.mount_path})" for fs in file_systems(cluster))
        raise UserError(
            f"--retire: the spec has no file system {text!r}",
            f"it has {known}" if known else "it has none",
        )
    return found
