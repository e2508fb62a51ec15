"""A goal that makes no sense or cannot be reached: a sentence, and what would make it possible."""

from __future__ import annotations


class GoalError(ValueError):
    """The goal is wrong or impossible.

    Parameters
    ----------
    message:
        What is wrong, without a final full stop.
    hint:
        What would make it possible: another number, another type, another flag.
    field:
        The key of the goal that is wrong (`params`, `tokens`), for files and for flags.
    """

    def __init__(self, message: str, hint: str | None = None, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
