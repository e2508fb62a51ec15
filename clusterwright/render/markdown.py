"""Text in Markdown: it cannot break the structure of a comment, mention a user or be a link."""

from __future__ import annotations

import re
from typing import Final

from clusterwright.render.source import printable

_ZERO_WIDTH_SPACE: Final = "\u200b"
_OWN_LINKS: Final = re.compile(r"(?i)(https?://|www\.)(?!docs\.aws\.amazon\.com/)")


def escaped(text: str) -> str:
    """Text in one line, escaped for Markdown, HTML and the forge; links to AWS's pages are kept.

    A spec, a commit or an answer of AWS may contain it.
    """
    text = " ".join(printable(text).split())
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for character in "\\|*_`[]~$!":
        text = text.replace(character, "\\" + character)
    text = _OWN_LINKS.sub(lambda found: f"{found.group()}{_ZERO_WIDTH_SPACE}", text)
    # A zero-width space prevents mentions of users and links to issues.
    for character in "@#":
        text = text.replace(character, character + _ZERO_WIDTH_SPACE)
    return text


def plain(text: str, length: int) -> str:
    """As `escaped`, cut to a length."""
    return escaped(one_line(text, length))


def code(text: str, length: int = 160) -> str:
    """Text in a code span, escaped."""
    text = one_line(text, length) or " "
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest or text.startswith(" ") else ""
    # In a table a vertical bar ends the cell, even in a code span, unless it is escaped.
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")


def one_line(text: str, length: int) -> str:
    """Printable text in one line of at most `length` characters."""
    # Cut first for speed: a change may hold thousands of long values.
    text = " ".join(printable(text[: 2 * length]).split())
    return text if len(text) <= length else f"{text[: length - 1]}…"
