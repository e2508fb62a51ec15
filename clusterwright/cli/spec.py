"""How every command finds and reads a spec: CONFIG, -c/--config or --env, errors with carets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clusterwright.cli.errors import UserError

if TYPE_CHECKING:
    from clusterwright.cluster_spec import LoadedSpec, SpecErrors

EXIT_INVALID = 3


def config_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the parameters `config`, `config_option` and `environment`.

    Hand them to `config_path` to get the one file that is meant.
    """
    for decorate in (
        click.option(
            "--env",
            "environment",
            metavar="NAME",
            help="Read configs/NAME.yaml, as cdk -c env=NAME does.",
        ),
        click.option(
            "-c",
            "--config",
            "config_option",
            metavar="FILE",
            type=click.Path(),
            help="The same as CONFIG.",
        ),
        click.argument("config", required=False, type=click.Path()),
    ):
        function = decorate(function)
    return function


def config_path(config: str | None, config_option: str | None, environment: str | None) -> Path:
    """The file that is meant. Raises UserError where none or several are named."""
    named = [value for value in (config, config_option, environment) if value is not None]
    if len(named) > 1:
        raise UserError(
            "the spec is named more than once", "give one of CONFIG, --config FILE and --env NAME"
        )
    if not named:
        raise UserError(
            "no spec is named",
            "give a file, such as configs/dev.yaml, or --env NAME for configs/NAME.yaml",
        )
    if environment is None:
        return Path(named[0])
    if "/" in environment or environment in ("", ".", ".."):
        raise UserError(
            f"--env takes a name, not {environment!r}", "for any other file: --config FILE"
        )
    return Path("configs") / f"{environment}.yaml"


@contextmanager
def catalog_of_the_user() -> Iterator[None]:
    """A catalogue directory that cannot be read is the user's to mend, not a bug of ours."""
    from clusterwright.catalog import CatalogError

    try:
        yield
    except CatalogError as error:
        raise UserError(error.message, error.hint) from None


def load_or_exit(path: str | Path, *, command: str, output_format: str = "text") -> LoadedSpec:
    """The spec at `path`; where it is wrong, every problem on stderr and exit 3.

    With `output_format` json, stdout holds the same problems in the usual envelope, so that a
    program that asked for JSON gets JSON.
    """
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.platforms.loading import load_cluster

    try:
        with catalog_of_the_user():
            return load_cluster(path)
    except SpecErrors as errors:
        show_problems(errors, command=command, output_format=output_format)
        raise click.exceptions.Exit(EXIT_INVALID) from None


def show_problems(errors: SpecErrors, *, command: str, output_format: str = "text") -> None:
    """Writes the problems as `load_or_exit` does, for commands that go on afterwards."""
    from clusterwright.render.problems import problems_text
    from clusterwright.render.style import Style

    sys.stderr.write(problems_text(errors, Style.of(sys.stderr)))
    if output_format == "json":
        from clusterwright.json_output.base import problems_json

        sys.stdout.write(problems_json(command, errors.problems))
