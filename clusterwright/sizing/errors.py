"""The error of a goal that is invalid or cannot be reached, with a hint."""

from __future__ import annotations


class GoalError(ValueError):
    """The goal is invalid or cannot be reached.

    Parameters
    ----------
    message:
        The problem, without a final full stop.
    hint:
        A remedy: another number, another type, another flag.
    field:
        The key of the goal with the error (`params`, `tokens`), for files and flags.
    """

    def __init__(self, message: str, hint: str | None = None, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
