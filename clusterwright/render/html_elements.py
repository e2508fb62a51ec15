"""Elements of an HTML document: tables, lists, notes; every text is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from clusterwright.render.source import printable
from clusterwright.render.table import Align


def text(words: str) -> str:
    """One line of text, escaped; control characters are replaced."""
    return escape(printable(words))


def paragraph(words: str, *, role: str = "") -> str:
    """A paragraph; `role` is its class."""
    return f"<p{_class(role)}>{text(words)}</p>"


def listing(rows: Sequence[str], *, ordered: bool = False) -> str:
    """A list; empty without rows."""
    if not rows:
        return ""
    name = "ol" if ordered else "ul"
    return f"<{name}>{''.join(f'<li>{text(row)}</li>' for row in rows)}</{name}>"


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    aligns: Sequence[Align],
    *,
    marked: Sequence[int] = (),
    whole: Sequence[int] = (),
) -> str:
    """A table that scrolls in itself where it is wider than the page; empty without rows.

    Parameters
    ----------
    marked:
        Rows to emphasise, by index.
    whole:
        Columns of names and codes that are not broken, by index.
    """
    if not rows:
        return ""
    classes = [
        _class("number" if align == "right" else "whole" if index in whole else "")
        for index, align in enumerate(aligns)
    ]
    head = "".join(
        f'<th scope="col"{name}>{text(cell)}</th>'
        for cell, name in zip(header, classes, strict=True)
    )
    body = "".join(
        f"<tr{_class('marked' if index in marked else '')}>"
        + "".join(f"<td{name}>{text(cell)}</td>" for cell, name in zip(row, classes, strict=True))
        + "</tr>"
        for index, row in enumerate(rows)
    )
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def lines(rows: Sequence[str]) -> str:
    """Preformatted lines, such as settings; each is escaped by itself."""
    return f"<pre>{chr(10).join(text(row) for row in rows)}</pre>"


def section(title: str, *parts: str) -> str:
    """A heading and what follows; empty without parts."""
    found = [part for part in parts if part]
    return f"<section><h2>{text(title)}</h2>\n{''.join(found)}</section>" if found else ""


def folded(title: str, *parts: str) -> str:
    """A part that opens on a click; empty without parts."""
    found = [part for part in parts if part]
    if not found:
        return ""
    return f"<details><summary>{text(title)}</summary>\n{''.join(found)}</details>"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
