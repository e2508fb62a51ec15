"""Files below a folder in a fixed order, so that a walk can continue after any of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence


def walk(folder: str, after: Sequence[str] = ()) -> Iterator[tuple[str, ...]]:
    """Regular files below `folder` as their parts, in order; only those after `after`.

    Links are not followed, and folders that cannot be listed are skipped: they may be removed.
    """
    yield from _below(folder, (), tuple(after))


def _below(
    folder: str, parts: tuple[str, ...], after: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    try:
        with os.scandir("/".join((folder, *parts))) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        here = (*parts, entry.name)
        # The rest of a partly processed folder follows.
        if here <= after and here != after[: len(here)]:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(folder, here, after)
        elif entry.is_file(follow_symlinks=False) and here > after:
            yield here
