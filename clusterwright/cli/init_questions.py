"""The questions of `clusterwright init` on a terminal, for options that are not given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from clusterwright.platforms.registry import PLATFORMS

QUESTIONS: Final = (
    ("environment", "Name of the cluster"),
    ("account", "AWS account, 12 digits"),
    ("region", "AWS region"),
    ("instance_type", "Instance type of the compute nodes"),
    ("count", "Number of compute nodes"),
)


def ask(ctx: click.Context, default_name: str) -> dict[str, Any]:
    """Return the parameters of the command, with answers in place of defaults.

    Raises
    ------
    click.MissingParameter
        Without a terminal nobody can answer, so `--platform` is required.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        option = next(param for param in ctx.command.params if param.name == "platform")
        raise click.MissingParameter(ctx=ctx, param=option)
    values = dict(ctx.params)
    values["platform"] = _prompt("Platform", PLATFORMS[0], click.Choice(PLATFORMS))
    for name, question in QUESTIONS:
        if ctx.get_parameter_source(name) is ParameterSource.DEFAULT:
            values[name] = _prompt(question, values[name] or default_name)
    if values["output"] is None and values["project"] is None:
        folder = Path("configs")
        file = f"{values['environment']}.yaml"
        default = folder / file if folder.is_dir() else Path(file)
        values["output"] = Path(_prompt("File to write", str(default)))
    return values


def _prompt(question: str, default: Any, kind: Any = None) -> Any:
    return click.prompt(question, default=default, type=kind, err=True)
