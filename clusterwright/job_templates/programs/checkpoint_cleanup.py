"""Keep the last whole checkpoints of a run: `checkpoint_cleanup.py --keep=N FOLDER`.

A checkpoint is a folder whose name ends with its step; it is whole if it has the file MARKER,
which the framework writes last. Never removed: the newest whole one, what is newer, what a link
names, the iteration of `latest_checkpointed_iteration.txt`, and other names. Without --remove it
only lists.
Exit codes: 0 done; 1 the folder has no whole checkpoint, or a folder could not be removed.

Python 3.9, standard library.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

TRACKER = "latest_checkpointed_iteration.txt"
REMOVING = ".removing-"


class Checkpoint(NamedTuple):
    """A checkpoint's folder."""

    path: Path
    step: int
    whole: bool


def checkpoints(folder, marker):
    """The checkpoints of a folder, the oldest first."""
    found = []
    for path in folder.iterdir():
        match = re.search(r"([0-9]+)$", path.name)
        if match and not path.name.startswith(".") and not path.is_symlink() and path.is_dir():
            found.append(Checkpoint(path, int(match.group(1)), (path / marker).is_file()))
    return sorted(found, key=lambda one: (one.step, one.path.name))


def newest(folder, marker):
    """The path of the newest whole checkpoint of a folder; None without one."""
    if not folder.is_dir():
        return None
    whole = [one.path for one in checkpoints(folder, marker) if one.whole]
    return whole[-1] if whole else None


def named(folder):
    """Resolved paths that links of the folder name, and the step of Megatron's file or None."""
    links = {path.resolve() for path in folder.iterdir() if path.is_symlink()}
    try:
        text = (folder / TRACKER).read_text("utf-8").strip()
    except FileNotFoundError:
        return links, None
    return links, int(text) if re.fullmatch("[0-9]+", text) else None


def superfluous(folder, marker, keep, incomplete):
    """The checkpoints to remove, the oldest first; None if no checkpoint is whole."""
    found = checkpoints(folder, marker)
    whole = [one for one in found if one.whole]
    if not whole:
        return None
    kept = {one.path for one in whole[-max(1, keep) :]}
    newest = whole[-1].step
    links, step = named(folder)
    return [
        one
        for one in found
        if one.path not in kept
        and one.step < newest
        and one.step != step
        and one.path.resolve() not in links
        and (one.whole or incomplete)
    ]


def size_of(path):
    """Bytes of the files below a folder."""
    total = 0
    for place, _, names in os.walk(path):
        for name in names:
            total += (Path(place) / name).lstat().st_size
    return total


def remove(path):
    """Rename first: a checkpoint that is removed in part must not look whole."""
    hidden = path.with_name(REMOVING + path.name)
    path.rename(hidden)
    shutil.rmtree(hidden)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", type=int, default=3)
    parser.add_argument("--marker", default=".metadata")
    parser.add_argument("--remove", action="store_true")
    parser.add_argument("--incomplete", action="store_true")
    options = parser.parse_args(argv)
    if not options.folder.is_dir():
        print(f"{options.folder} does not exist")
        return 1
    old = superfluous(options.folder, options.marker, options.keep, options.incomplete)
    if old is None:
        print(
            f"{options.folder} has no whole checkpoint (with {options.marker}): nothing is removed"
        )
        return 1
    code, freed = 0, 0
    for left in sorted(options.folder.glob(f"{REMOVING}*")):
        print(f"{left.name}: left by a clean-up that was interrupted")
        if options.remove:
            shutil.rmtree(left)
    for one in old:
        size = size_of(one.path)
        kind = "whole" if one.whole else "incomplete"
        verb = "removing" if options.remove else "would remove"
        print(f"{verb} {one.path.name}, {kind}, {size / 2**30:.2f} GiB", flush=True)
        try:
            if options.remove:
                remove(one.path)
        except OSError as error:
            print(f"{one.path.name}: {error}")
            code = 1
            continue
        freed += size
    ending = "removed" if options.remove else "could be removed: render with --set remove=yes"
    print(f"{len(old)} checkpoints, {freed / 2**30:.2f} GiB {ending}")
    return code


if __name__ == "__main__":
    sys.exit(main())
