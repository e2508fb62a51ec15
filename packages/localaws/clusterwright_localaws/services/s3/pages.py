"""Pages of S3's lists whose entries have a key and an id: versions and uploads.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html
https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Page:
    """A page of a list, and whether others follow."""

    entries: list[Any] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    is_truncated: bool = False
    last: Any = None  # an entry or a prefix; the next page begins after it


def page(
    entries: Sequence[Any],
    name_of: Callable[[Any], tuple[str, str]],
    *,
    limit: int,
    prefix: str = "",
    delimiter: str = "",
    after_key: str = "",
    after_id: str = "",
) -> Page:
    """Return the page after a marker.

    Parameters
    ----------
    entries:
        All entries, in the order of the list: that of their keys.
    name_of:
        Returns the key and the id of an entry.
    limit:
        The most entries and prefixes of the page together.
    after_key, after_id:
        The marker; without an id every entry of the key is before the page, and with the id of an
        entry that was deleted since none is.
    """
    found = Page()
    waiting = (after_key, after_id) in map(name_of, entries)
    for entry in entries:
        key, entry_id = name_of(entry)
        if not key.startswith(prefix):
            continue
        rest = key[len(prefix) :]
        rolled = prefix + rest.partition(delimiter)[0] + delimiter if delimiter else ""
        is_prefix = bool(delimiter) and delimiter in rest
        if is_prefix and (found.prefixes[-1:] == [rolled] or (after_key and rolled <= after_key)):
            continue
        if not is_prefix and after_key:
            if key < after_key or (key == after_key and not after_id):
                continue
            if key == after_key and waiting:
                waiting = entry_id != after_id
                continue
        if len(found.entries) + len(found.prefixes) >= limit:
            found.is_truncated = limit > 0
            break
        if is_prefix:
            found.prefixes.append(rolled)
        else:
            found.entries.append(entry)
        found.last = rolled if is_prefix else entry
    return found
