"""URLs in texts that people read."""

from __future__ import annotations

import re
from typing import Final

# To the last @ before the path, because programs take it for the end of the password.
_PASSWORD: Final = re.compile(r"(://[^/?#\s:]*:)[^/?#\s]+(?=@)")


def without_passwords(text: str) -> str:
    """Return a text whose URLs have no password (``https://user:<redacted>@host``)."""
    return _PASSWORD.sub(r"\1<redacted>", text)
