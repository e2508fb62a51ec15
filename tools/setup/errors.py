"""A set-up step that cannot go on says so in a sentence, with what to do about it."""

from __future__ import annotations

import sys


class SetupError(Exception):
    """A step failed; `hint` says what to do, `detail` holds the failing command's last words."""

    def __init__(self, message: str, hint: str, detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.detail = detail

    def report(self) -> None:
        """Print the error, the detail and the hint to stderr."""
        print(f"\nerror: {self.message}", file=sys.stderr)
        if self.detail:
            print(self.detail, file=sys.stderr)
        print(f"\nhint: {self.hint}", file=sys.stderr)
