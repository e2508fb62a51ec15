"""Load a share of the files below FOLDER from S3 into Lustre: a task of `stage-data.sbatch`.

Beside it are `files.py` and `lustre.py` of the node program that loads the folders of `preload`.
Exit codes: 0 all files of the share are loaded; 1 some are not, or the file system would be full.

Python 3.9, standard library.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import files
import lustre

READERS = 16
FREE_SHARE = 0.05
MOST_NAMES = 20
ARGUMENT_BYTES = 500_000
PROGRESS = "{files} files seen ({bytes} bytes), {loaded_files} loaded ({loaded_bytes} bytes)"


class StopError(Exception):
    """The share cannot be loaded: the text says why."""


def mine(parts, task, tasks):
    """Whether a file is in the share of a task. It depends on the name only."""
    name = "/".join(parts).encode("utf-8", "surrogateescape")
    return zlib.crc32(name) % tasks == task


def batches(folder, options):
    """The paths of the share, in batches that fit into a command line."""
    batch, weight = [], 0
    for parts in files.walk(folder):
        if not mine(parts, options.task, options.tasks):
            continue
        path = "/".join((folder, *parts))
        size = len(path.encode("utf-8", "surrogateescape")) + 1
        if batch and (len(batch) == options.batch or weight + size > ARGUMENT_BYTES):
            yield batch
            batch, weight = [], 0
        batch.append(path)
        weight += size
    if batch:
        yield batch


def sizes(paths):
    """Bytes by path; a file that was removed meanwhile is left out."""
    found = {}
    for path in paths:
        try:
            found[path] = Path(path).lstat().st_size
        except FileNotFoundError:
            continue
    return found


def refuse_to_fill(folder, wanted):
    space = os.statvfs(folder)
    free = space.f_bavail * space.f_frsize - wanted
    if free < FREE_SHARE * space.f_blocks * space.f_frsize:
        raise StopError(
            f"{wanted / 2**30:.1f} GiB more would leave less than {FREE_SHARE:.0%} of "
            "the file system free"
        )


def read_byte(path):
    """Read one byte: Lustre loads the whole file first."""
    with Path(path).open("rb") as stream:
        stream.read(1)


def load(paths, options):
    """Load files, and wait for them. Returns those that were not loaded in time."""
    if options.method == "read":
        with ThreadPoolExecutor(READERS) as pool:
            list(pool.map(read_byte, paths))
        return lustre.released(paths)
    try:
        lustre.restore(paths)
    except lustre.LustreError as error:
        if "not permitted" in str(error) or "ermission" in str(error):
            raise StopError(f"{error}: render the job with --set method=read") from error
        raise
    left, until = paths, time.monotonic() + options.stall_seconds
    while left:
        now = lustre.released(left)
        if len(now) < len(left):
            until = time.monotonic() + options.stall_seconds
        left = now
        if not left or time.monotonic() >= until:
            return left
        time.sleep(options.poll_seconds)
    return []


def stage(folder, options, say):
    """Load the share. Returns the counts of the report."""
    counts = {"files": 0, "bytes": 0, "loaded_files": 0, "loaded_bytes": 0}
    for batch in batches(folder, options):
        known = sizes(batch)
        counts["files"] += len(known)
        counts["bytes"] += sum(known.values())
        wanted = [path for path in lustre.released(batch) if path in known]
        if wanted:
            refuse_to_fill(folder, sum(known[path] for path in wanted))
            left = set(load(wanted, options))
            loaded = [path for path in wanted if path not in left]
            counts["loaded_files"] += len(loaded)
            counts["loaded_bytes"] += sum(known[path] for path in loaded)
        say(PROGRESS.format(**counts))
    return counts


def verify(folder, options):
    """The files of the share that are still only in S3."""
    return [path for batch in batches(folder, options) for path in lustre.released(batch)]


def options_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--task", type=int, required=True)
    parser.add_argument("--tasks", type=int, required=True)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--method", choices=("restore", "read"), default="restore")
    parser.add_argument("--stall-seconds", type=float, default=1800)
    parser.add_argument("--poll-seconds", type=float, default=10)
    parser.add_argument("--report", type=Path, required=True)
    return parser.parse_args(argv)


def main(argv=None):
    options = options_of(argv)
    folder = options.folder.rstrip("/")
    reason, counts, left = None, {}, []
    try:
        if not Path(folder).is_dir():
            raise StopError(f"{folder} does not exist: has the association imported it?")
        counts = stage(folder, options, lambda text: print(text, flush=True))
        left = verify(folder, options)
        if left:
            reason = f"{len(left)} files are only in S3, such as {left[0]}"
    except (StopError, lustre.LustreError, OSError) as error:
        reason = str(error)
    document = {
        "schema_version": 1,
        "folder": folder,
        "task": options.task,
        "tasks": options.tasks,
        **counts,
        "complete": reason is None,
        "reason": reason,
        "not_loaded": left[:MOST_NAMES],
    }
    new = options.report.with_suffix(".new")
    # Names that are not UTF-8 are kept as JSON escapes.
    new.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    new.replace(options.report)
    print(reason or "verified: every file of the share is on the file system")
    return 0 if reason is None else 1


if __name__ == "__main__":
    sys.exit(main())
