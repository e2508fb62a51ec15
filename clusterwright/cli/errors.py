"""What the command line says when it cannot go on: a sentence, never a traceback."""

from __future__ import annotations


class UserError(Exception):
    """The command line, a file or the environment is wrong, and the user can mend it (exit 3).

    Parameters
    ----------
    message:
        What is wrong and where, without a final full stop.
    hint:
        What to do about it: an edit or a command.
    exit_code:
        3 unless the contract of the command says otherwise.
    """

    def __init__(self, message: str, hint: str | None = None, *, exit_code: int = 3) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code
