"""What keeps a rehearsal from being held, as opposed to a promise that it finds broken."""

from __future__ import annotations


class RehearsalError(Exception):
    """The machine or the command line cannot do what was asked.

    Parameters
    ----------
    message:
        What is wrong, without a final full stop.
    hint:
        What to do about it.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
