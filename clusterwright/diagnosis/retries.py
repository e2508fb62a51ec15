"""Attempts that are followed by others: what failed in them is no failure yet."""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.literals import Expression

_ATTEMPT: Final = Expression(
    r"\b(?:attempt|try|retry|trial)\b[ :=#(\[]{0,3}(?P<number>\d{1,5}) ?(?:/|of|out of) ?"
    r"(?P<last>\d{1,5})\b",
    re.IGNORECASE,
)
_OF_CLOUD_INIT: Final = Expression(r"\bfailed \[\d{1,5}/\d{1,5}s\]: ")
"""cloud-init states the seconds that it has tried, and says `Giving up on` when it ends
(cloudinit/url_helper.py, wait_for_url).
"""


def goes_on(text: str) -> bool:
    """Whether a text reports an attempt that is not the last, as in `attempt 2 of 5`.

    A program that counts from zero never names its last attempt so; it says in other words that
    it gives up.
    """
    lowered = text.lower()
    if _OF_CLOUD_INIT.search(text, lowered):
        return True
    attempt = _ATTEMPT.search(text, lowered)
    return attempt is not None and int(attempt["number"]) < int(attempt["last"])
