"""Omits progress lines from a transcript, and counts them."""

from __future__ import annotations

import re

_UNREAD = re.compile(
    # CloudFormation's events, one line per resource and state; failures are shown.
    r"\| (?:CREATE|UPDATE|DELETE|REVIEW|ROLLBACK)\w*_(?:IN_PROGRESS|COMPLETE)\w* +\|"
    # Every asset, four times.
    r"|(?:^|: )(?:start|success): (?:Building|Built|Publishing|Published) "
    r"|^Hold on while we create a read-only change set "
    r"|: (?:creating CloudFormation changeset|deploying|destroying)\.\.\."
    # Exports between stacks, with names that the CDK generates.
    r"|^[\w-]+\.ExportsOutput\w+ = "
    r"|^Stack ARN:$|^arn:aws[\w-]*:cloudformation:"
)
_HEADER = "Outputs:"


class Folding:
    """Filters the output lines of one command."""

    def __init__(self) -> None:
        self.left_out = 0
        self._held_header: str | None = None
        self._blank = True

    def shown(self, line: str) -> str:
        """The text to print for `line`, which may be empty."""
        bare = line.strip()
        if _UNREAD.search(bare):
            self.left_out += 1
            return ""
        if bare == _HEADER:
            # Printed with the first output, if there is one.
            self._held_header = line
            return ""
        if not bare:
            # At most one empty line, and none at the beginning.
            before, self._blank = self._blank, True
            return "" if before else line
        self._blank = False
        header, self._held_header = self._held_header, None
        is_output = re.match(r"[\w-]+\.\w+ = ", bare) is not None
        return f"{header}{line}" if header and is_output else line
