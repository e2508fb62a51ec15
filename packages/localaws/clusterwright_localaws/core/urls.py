"""URLs in texts that people read."""

from __future__ import annotations

import re
from typing import Final

# Parameters of a query that are secrets by their names.
_QUERY_SECRET: Final = re.compile(
    r"""(?ix) ( [?&] (?: [\w.%-]*? (?:token|secret|password|passwd|signature|credential|key)
      | sig | auth | code ) = ) [^&\#\s"'<>]+"""
)
# To the last @ before the path, because programs take it for the end of the password.
_PASSWORD: Final = re.compile(r"(://[^/?#\s:]*:)[^/?#\s]+(?=@)")


def without_passwords(text: str) -> str:
    """Return a text whose URLs have no secrets: ``https://user:<redacted>@host?token=<redacted>``."""
    text = _PASSWORD.sub(r"\1<redacted>", text)
    return _QUERY_SECRET.sub(r"\1<redacted>", text)
