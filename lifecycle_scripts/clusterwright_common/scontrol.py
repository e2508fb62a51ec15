"""Lines of `scontrol --oneliner show`, `Key=Value` words (scontrol(1) of Slurm 24.11).

Not in JSON, which needs a plug-in that is not on every image.
"""

from __future__ import annotations

import re

_KEY = re.compile(r"(?:^| )([A-Z][A-Za-z_]*(?:/[A-Z][A-Za-z]*)?)=")


def words(line: str) -> dict[str, str]:
    """Values by key; a value may contain blanks.

    A key that comes again is part of a value: Slurm prints an operator's reason after its own
    fields.
    """
    found: dict[str, re.Match[str]] = {}
    for match in _KEY.finditer(line):
        found.setdefault(match.group(1), match)
    ends = [match.start() for match in [*found.values()][1:]] + [len(line)]
    return {key: line[match.end() : end].strip() for (key, match), end in zip(found.items(), ends)}
