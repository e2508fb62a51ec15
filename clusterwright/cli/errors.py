"""The error that a command reports as a message instead of a traceback."""

from __future__ import annotations


class UserError(Exception):
    """An error in the command line, a file or the environment that the user can correct.

    Parameters
    ----------
    message:
        What is wrong and where, without a full stop at the end.
    hint:
        How to correct it: an edit or a command.
    exit_code:
        3 unless the command documents another exit code.
    """

    def __init__(self, message: str, hint: str | None = None, *, exit_code: int = 3) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code
