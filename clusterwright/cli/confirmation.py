"""Confirmation of what a command is about to do."""

from __future__ import annotations

import sys

import click

from clusterwright.cli.errors import UserError


def confirmed(question: str, *, yes: bool) -> bool:
    """Ask on the terminal; true with --yes.

    Raises
    ------
    UserError
        Nobody can be asked.
    """
    if yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UserError(
            "nothing was done, because stdin is not a terminal and nobody can confirm",
            "--yes acts without confirmation",
        )
    return click.confirm(question, default=False, err=True)
