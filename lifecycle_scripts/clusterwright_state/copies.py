"""Copies of acceptance's records in the bucket, for a controller that starts without them.

The controller's disk is lost with the controller. A new one reads the nodes' records and `FILES`
back from the bucket, once, and publishes its own only then: otherwise its first run would take the
place of weeks. What it has written by itself by then stays, and is joined with the copies. A copy
of `FILES` names the SHA-256 of its content; a node's record, which others read too, names none.
Types and times of both are checked: a damaged one is left out, and the log says so. The bucket
keeps earlier versions of its objects.
"""

from __future__ import annotations

import calendar
import hashlib
import json
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import lemon, node_records, records

from clusterwright_state.bucket import Bucket

NODES = "state/acceptance/"
"""The prefix of the nodes' records, `NODE.json`."""
PREFIX = f"{NODES}records/"
ACCEPTED, BASELINES, SEEN = "accepted.json", "baselines.json", "seen.json"
FILES = (ACCEPTED, BASELINES, lemon.FILE, SEEN)
"""Bandwidths, baselines and histories; the last look, without which a fault is counted twice."""
_TIME = "%Y-%m-%dT%H:%M:%SZ"
OWN = "copies.json"
"""What was read back, and the digests of what was published."""
SCHEMA_VERSION = 1
_REPORTS = "runs/*"
"""Reports stay in the bucket: no later run needs them."""
_SUBJECTS: dict[str, tuple[str, tuple[str, ...]]] = {
    ACCEPTED: ("accepted", ("instance_type", "nodes", "ranks", "size_mib")),
    BASELINES: ("baselines", ("check", "instance_type", "size_mib", "node_count")),
}
"""The list in a file, and what tells its rows apart."""
_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_SKEW_SECONDS = 300.0
"""By how much the clock of the lost controller may have been ahead."""
_TEXTS = ("group", "instance_id", "boot_id", "state", "reason", "action", "level", "since")
_TEST_TEXTS = ("level", "verdict", "reason", "action", "instance_id")


class Damaged(Exception):
    """A copy is not what a controller wrote; the message says why."""


class Copies:
    """The copies of this controller's records. `folder` is that of the acceptance program."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    @property
    def is_restored(self) -> bool:
        """Whether the copies were read back, so that they may be replaced."""
        return bool(records.read(self._folder / OWN))

    def restore(self, bucket: Bucket) -> list[dict[str, Any]]:
        """Read the copies back, once; return what was read or refused, for the log.

        Raises
        ------
        BucketError
            The bucket cannot be read: nothing was changed.
        OSError
            A record cannot be written; the next call repeats it.

        Any other error is that of one copy, which is refused.
        """
        if self.is_restored:
            return []
        told = []
        with tempfile.TemporaryDirectory(prefix="clusterwright-copies-") as name:
            found = Path(name)
            bucket.download(NODES, found, leave_out=_REPORTS)
            for path in [*sorted(found.glob("*.json")), *sorted((found / "records").glob("*"))]:
                key = NODES + path.relative_to(found).as_posix()
                try:
                    changed = self._restore(path, of_node=path.parent == found)
                except OSError:
                    raise
                except Damaged as error:
                    told.append({"object": key, "error": str(error)})
                except Exception as error:  # noqa: BLE001 - it must not keep the others away
                    told.append({"object": key, "error": f"{type(error).__name__}: {error}"})
                else:
                    told += [{"object": key}] if changed else []
        refused = [one["object"] for one in told if "error" in one]
        own = {"schema_version": SCHEMA_VERSION, "restored_at": _now(), "refused": refused}
        records.write(self._folder / OWN, {**own, "published": {}})
        return told

    def publish(self, bucket: Bucket) -> None:
        """Write the copies of the files that changed. Raises BucketError or OSError."""
        own = records.read(self._folder / OWN)
        published = dict(own.get("published", {}))
        for name in FILES:
            path = self._folder / name
            content = records.read(path)
            if path.exists() and not content:
                continue  # It cannot be read: the copy is better.
            digest = _digest(content)
            # A file that an operator removed is not to come back.
            if digest == published.get(name, _digest({})):
                continue
            copy = {"schema_version": SCHEMA_VERSION, "file": name, "written_at": _now()}
            bucket.put(PREFIX + name, {**copy, "sha256": digest, "content": content})
            published[name] = digest
            records.write(self._folder / OWN, {**own, "published": published})

    def _restore(self, path: Path, *, of_node: bool) -> bool:
        """Write a record from its copy; return whether it changed. Raises Damaged or OSError."""
        content = records.read(path)
        if not content:
            raise Damaged("it is not a JSON object, or is larger than 8 MiB")
        if of_node:
            content = _of_node(content, path.stem)
            target = node_records.path_of(self._folder, path.stem)
            here = records.read(target)
            joined = _joined_node(here, content) if here else content
        else:
            content = _of_file(content, path.name)
            target = self._folder / path.name
            here = records.read(target)
            joined = _joined_file(path.name, here, content) if here else content
        if not joined or joined == here:
            return False
        records.write(target, joined)
        return True


def _of_file(copy: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The content of a copy. Raises Damaged."""
    if name not in FILES or copy.get("file") != name:
        raise Damaged(f"it is the copy of {copy.get('file')}")
    content = copy.get("content")
    if copy.get("schema_version") != SCHEMA_VERSION or not isinstance(content, dict):
        raise Damaged(f"schema_version must be {SCHEMA_VERSION}")
    if copy.get("sha256") != _digest(content):
        raise Damaged("its content does not have the SHA-256 that it names")
    if not _is_sound(name, content):
        raise Damaged("its content does not have the types of this file")
    return content


def _is_sound(name: str, content: Mapping[str, Any]) -> bool:
    if name == SEEN:
        rest = [one for key, one in content.items() if key != "schema_version"]
        return all(isinstance(one, dict) for one in rest)
    if name == lemon.FILE:
        nodes, book = content.get("nodes"), lemon.from_json(content)
        events = [event for found in book.values() for event in found]
        latest, kinds = time.time() + _SKEW_SECONDS, lemon.FAULTS + lemon.OTHER
        return (
            isinstance(nodes, list)
            and len(nodes) == len(book)
            and all(one.time <= latest and one.kind in kinds for one in events)
        )
    key, subject = _SUBJECTS[name]
    rows = content.get(key)
    return isinstance(rows, list) and all(
        isinstance(row, dict)
        and all(isinstance(row.get(word), (str, int, float, type(None))) for word in subject)
        for row in rows
    )


def _of_node(record: dict[str, Any], name: str) -> dict[str, Any]:
    """The record of a node. Raises Damaged."""
    if record.get("schema_version") != node_records.SCHEMA_VERSION:
        raise Damaged(f"schema_version must be {node_records.SCHEMA_VERSION}")
    if not _NODE.fullmatch(name) or record.get("name") != name:
        raise Damaged(f"it is the record of {record.get('name')}")
    rows = record.get("history")
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and isinstance(row.get("run"), str) and _are_texts(row, _TEST_TEXTS)
        for row in rows
    ):
        raise Damaged("its history is not a list of tests")
    if not isinstance(record.get("state"), str) or not _are_texts(record, _TEXTS):
        raise Damaged("it has no state, or a value is no text")
    latest = time.time() + _SKEW_SECONDS
    for at in (record.get("tested_at"), *(row.get("at") for row in rows)):
        seconds = _seconds(at)
        if seconds is None or seconds > latest:
            raise Damaged(f"{at} is no time, or in the future")
    return record


def _are_texts(row: Mapping[str, Any], keys: Sequence[str]) -> bool:
    return all(isinstance(row.get(key), (str, type(None))) for key in keys)


def _seconds(at: Any) -> Optional[float]:
    """Since 1970; None for what is no time as `_now` writes it."""
    try:
        found = time.strptime(at, _TIME)
    except (TypeError, ValueError):
        return None
    # strptime accepts fewer digits, which do not sort as texts.
    return float(calendar.timegm(found)) if time.strftime(_TIME, found) == at else None


def _joined_file(name: str, here: dict[str, Any], copy: dict[str, Any]) -> dict[str, Any]:
    """What this controller wrote already, with what only the copy has."""
    if name == lemon.FILE:
        return _joined_histories(here, copy)
    if name == SEEN:
        return {**copy, **here}
    rows, subject = _SUBJECTS[name]
    own = _rows(here, rows)
    taken = {_values(row, subject) for row in own}
    others = [row for row in _rows(copy, rows) if _values(row, subject) not in taken]
    return {**here, rows: [*others, *own]}


def _joined_node(here: dict[str, Any], copy: dict[str, Any]) -> dict[str, Any]:
    latest = copy if copy["tested_at"] > str(here.get("tested_at", "")) else here
    own = _rows(here, "history")
    runs = {_values(row, ("run",)) for row in own}
    rows = [*(row for row in copy["history"] if _values(row, ("run",)) not in runs), *own]
    rows.sort(key=lambda row: str(row.get("at")))
    return {**latest, "history": rows[-node_records.MOST_HISTORY :]}


def _joined_histories(here: dict[str, Any], copy: dict[str, Any]) -> dict[str, Any]:
    first, second = lemon.from_json(copy), lemon.from_json(here)
    book = {
        key: sorted(
            {*first.get(key, ()), *second.get(key, ())},
            key=lambda one: (one.time, one.kind, one.detail),
        )
        for key in {**first, **second}
    }
    return lemon.to_json(lemon.pruned(book, time.time()))


def _rows(content: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    found = content.get(key)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _values(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The values, comparable also where this controller's own are of other types."""
    return json.dumps([row.get(key) for key in keys], sort_keys=True)


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _now() -> str:
    return time.strftime(_TIME, time.gmtime())
