"""Lines of `scontrol --oneliner show`, `Key=Value` words (scontrol(1) of Slurm 24.11).

Not in JSON, which needs a plug-in that is not on every image.
"""

from __future__ import annotations

import re

_KEY = re.compile(r"(?:^| )([A-Z][A-Za-z_]*(?:/[A-Z][A-Za-z]*)?)=")


def words(line: str) -> dict[str, str]:
    """Values by key; a value may contain blanks."""
    found = list(_KEY.finditer(line))
    ends = [match.start() for match in found[1:]] + [len(line)]
    return {match.group(1): line[match.end() : end].strip() for match, end in zip(found, ends)}
