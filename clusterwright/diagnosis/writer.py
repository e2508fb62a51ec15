"""A program by the form of its errors, and by the parts of it that write them.

Programs write errors on healthy nodes too. So an error of these is a cause only where a log ends
with it, or where what the log is about is known to have failed: `statements` asks for it there.
A part is known by its place, which the lines name (a package, a file of the source, a component),
or by the words of the message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from clusterwright.diagnosis.aws_errors import meaning
from clusterwright.diagnosis.parts import Part, own_words, reason, wrong_part

_LONGEST: Final = 200
_CODE: Final = re.compile(
    # Codes of AWS's errors, as its SDKs for Go and Python write them, and of errors of a fleet.
    r"(?:api error |An error occurred \(|error\(s\), |: )"
    r"(?P<code>[A-Z][A-Za-z]{5,60}(?:\.[A-Z]\w+)?)(?:\) when |: )"
)


def fields(*each: str) -> str:
    """An expression for fields one after another in a line, whatever is before and between them.

    Each is looked for once, from where the one before it ended, so that the time of a search
    grows with the length of a line, however often it repeats a field. A lookahead is not tried
    again once it has matched; nodes have Python releases before 3.11, whose `re` has no atomic
    groups.
    """
    return "(?m:^)" + "".join(
        rf"(?=(?P<_until_{n}>[^\n]*?(?:{one})))(?P=_until_{n})" for n, one in enumerate(each)
    )


@dataclass(frozen=True)
class Writer:
    """A program that writes errors.

    Attributes
    ----------
    name:
        What it is called in causes.
    line:
        What its errors look like, with the groups `message` (else all of it) and, where they
        name one, `place`.
    parts:
        In the order in which they are tried.
    answer:
        What a message says that its program was answered, beside the texts of errno and the codes
        of AWS; None without it.
    harmless:
        What it writes as errors on healthy nodes; None if nothing is known.
    """

    name: str
    line: re.Pattern[str]
    parts: tuple[Part, ...]
    answer: Callable[[str], str | None] = lambda _: None
    harmless: re.Pattern[str] | None = None

    def is_harmless(self, text: str) -> bool:
        """Whether a line is an error that healthy nodes have too."""
        return (
            self.harmless is not None
            and self.line.search(text) is not None
            and self.harmless.search(text) is not None
        )

    def error(self, text: str) -> str | None:
        """What is wrong by a line; None for lines of others, and if no part says it."""
        found = self.line.search(text)
        if found is None:
            return None
        groups = found.groupdict()
        message = " ".join((groups["message"] or found.group()).split())
        place = groups.get("place") or ""
        wrong = wrong_part(self.parts, own_words(message), place)
        if wrong is None:
            return None
        code = _CODE.search(message)
        said = (code and meaning(code["code"])) or self.answer(message) or reason(message)
        why = f"{said}: " if said and said not in wrong else ""
        return f"{self.name}: {wrong}: {why}{message[:_LONGEST]}"
