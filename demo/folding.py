"""Leaves out of a transcript what nobody reads, and counts it, so that nothing vanishes unsaid."""

from __future__ import annotations

import re

_UNREAD = re.compile(
    # CloudFormation's events, one line per resource and state; failures are shown.
    r"\| (?:CREATE|UPDATE|DELETE|REVIEW|ROLLBACK)\w*_(?:IN_PROGRESS|COMPLETE)\w* +\|"
    # Every asset, four times.
    r"|(?:^|: )(?:start|success): (?:Building|Built|Publishing|Published) "
    r"|^Hold on while we create a read-only change set "
    r"|: (?:creating CloudFormation changeset|deploying|destroying)\.\.\."
    # What one stack hands to another, with names that the CDK made up.
    r"|^[\w-]+\.ExportsOutput\w+ = "
    r"|^Stack ARN:$|^arn:aws[\w-]*:cloudformation:"
)
_HEADER = "Outputs:"


class Folding:
    """Takes the lines of one command and gives back those to show."""

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
            # Shown with the first output, if there is one.
            self._held_header = line
            return ""
        if not bare:
            # One empty line at most, and none at the beginning.
            before, self._blank = self._blank, True
            return "" if before else line
        self._blank = False
        header, self._held_header = self._held_header, None
        is_output = re.match(r"[\w-]+\.\w+ = ", bare) is not None
        return f"{header}{line}" if header and is_output else line
