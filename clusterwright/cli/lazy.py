"""A group of commands of which only the one that is asked for is imported."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from typing import Any

import click

from clusterwright.cli.errors import UserError


class LazyGroup(click.Group):
    """A click group whose commands are imported when they are run.

    `lazy` is name -> (module, one line for --help): the help is kept there so that `--help`
    imports no command. Each module calls its command `command`.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._lazy)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name not in self._lazy:
            return None
        command = importlib.import_module(self._lazy[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._lazy.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            close = difflib.get_close_matches(args[0], self._lazy, n=1)
            path = ctx.command_path
            hint = f"did you mean `{close[0]}`?" if close else f"see `{path} --help`"
            raise UserError(error.message.rstrip("."), hint) from None
