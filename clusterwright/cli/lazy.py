"""A click group that imports a command only when it runs."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from clusterwright.cli.errors import UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "clusterwright.commands"


class LazyGroup(click.Group):
    """A click group whose commands are imported when they are run.

    `lazy` is name -> (module, one line for --help): with the help text here, `--help` imports no
    command. The command of each module is called `command`.

    `optional` is name -> distribution: a command that another distribution adds through an entry
    point of the group `clusterwright.commands`. It is listed where the distribution is installed,
    with the distribution's summary as its help.
    """

    def __init__(
        self,
        *args: Any,
        lazy: Mapping[str, tuple[str, str]],
        optional: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy
        self._optional = optional or {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [*self._lazy, *self._installed()]

    def _installed(self) -> dict[str, EntryPoint]:
        # Imported here: it takes as long as everything else that `--help` imports.
        from importlib import metadata

        found = {}
        for name, distribution in self._optional.items():
            try:
                points = metadata.distribution(distribution).entry_points
            except metadata.PackageNotFoundError:
                continue
            found.update({p.name: p for p in points.select(group=GROUP, name=name)})
        return found

    def get_command(
        self,
        ctx: click.Context,
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name in self._lazy:
            command = importlib.import_module(self._lazy[cmd_name][0]).command
        elif (point := self._installed().get(cmd_name)) is not None:
            command = point.load()
        elif cmd_name in self._optional:
            distribution = self._optional[cmd_name]
            raise UserError(
                f"`{ctx.command_path} {cmd_name}` is part of {distribution}, "
                "which is not installed",
                f"pip install {distribution}",
            )
        else:
            return None
        assert isinstance(command, click.Command)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            rows = [(name, text) for name, (_, text) in self._lazy.items()]
            rows += [
                (name, point.dist.metadata["Summary"])
                for name, point in self._installed().items()
                if point.dist
            ]
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            close = difflib.get_close_matches(args[0], [*self._lazy, *self._optional], n=1)
            path = ctx.command_path
            hint = f"did you mean `{close[0]}`?" if close else f"see `{path} --help`"
            raise UserError(error.message.rstrip("."), hint) from None
