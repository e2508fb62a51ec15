"""Names of variables that programs of training jobs read, and which one a misspelt name means.

`environment_names.json` has the names by program with their source. A name that is not in it may
be of another program or of another version, so only a name that is nearly one of them is judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

from clusterwright.jobs.rule import Fail, Results

_LONG: Final = 12
"""Characters from which two typing errors still leave the name in no doubt."""


def misspelt(variables: Iterable[tuple[str, Any]], text: str, reference: str) -> Results:
    """Yield a failure for each name that is nearly a known one, and that `text` does not read.

    Parameters
    ----------
    variables:
        Names with where they are set.
    reference:
        An expression of what stands before a name where it is read.
    """
    seen = set()
    for name, at in variables:
        if name in seen:
            continue
        seen.add(name)
        read = re.search(reference + re.escape(name) + r"\b", text)
        other = None if read else meant(name)
        if other is not None:
            yield Fail(
                message=f"no program is known to read {name}",
                at=at,
                hint=f"did you mean `{other}`?",
            )


def meant(name: str, names: Collection[str] | None = None) -> str | None:
    """The known name that differs by one or two typing errors; None if known or like none.

    Names that differ in digits only, such as `MASTER_PORT2`, are other variables.

    Parameters
    ----------
    names:
        The known names, if they are not those of variables.
    """
    known = _known() if names is None else names
    if name in known:
        return None
    allowed = 2 if len(name) >= _LONG else 1
    near = [one for one in known if abs(len(one) - len(name)) <= allowed]
    found = [one for one in near if _letters(one) != _letters(name)]
    errors = {one: typing_errors(name, one, allowed) for one in found}
    best = min(errors, key=lambda one: (errors[one], one), default=None)
    return best if best is not None and errors[best] <= allowed else None


@cache
def _known() -> frozenset[str]:
    path = Path(__file__).with_name("environment_names.json")
    programs = json.loads(path.read_text(encoding="utf-8")).values()
    return frozenset(name for program in programs for name in program["names"])


def _letters(name: str) -> str:
    return "".join(character for character in name if not character.isdigit()).strip("_")


def typing_errors(one: str, other: str, most: int) -> int:
    """Typing errors: letters left out, added, replaced or exchanged with the next; at most + 1."""
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        row = [i]
        for j, right in enumerate(other, start=1):
            best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                best = min(best, before_last[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
        before_last, last = last, row
    return last[-1]
