"""The error that prevents a rehearsal, as opposed to a broken promise."""

from __future__ import annotations


class RehearsalError(Exception):
    """The rehearsal cannot run on this machine or with these options.

    Parameters
    ----------
    message:
        The problem, without a final full stop.
    hint:
        The remedy.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
