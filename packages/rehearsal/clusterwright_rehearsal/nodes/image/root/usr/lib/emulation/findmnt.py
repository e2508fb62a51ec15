#!/usr/bin/python3 -SE
"""findmnt that shows the requested type and source of emulated Lustre and NFS mounts.

Only the JSON output is changed, and the plain output of the columns SOURCE and FSTYPE of one
target (`findmnt -n -o FSTYPE /fsx`); all other calls are passed to the real findmnt.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import hardware

_REAL = "/usr/bin/findmnt.real"


def main(argv: list[str]) -> int:
    mounts: dict[str, dict[str, str]] = hardware.read_state("mounts", {})
    as_json = any(word in ("-J", "--json") for word in argv)
    if not mounts or not (as_json or len(argv) > 1):
        os.execv(_REAL, ["findmnt", *argv])
    if as_json:
        done = subprocess.run([_REAL, *argv], capture_output=True, text=True, check=False)
        sys.stderr.write(done.stderr)
        if done.stdout.strip():
            answer = json.loads(done.stdout)
            _rewrite(answer.get("filesystems", []), mounts)
            print(json.dumps(answer, indent=3))
        return done.returncode
    target = os.path.realpath(argv[-1])
    if target not in mounts or not os.path.ismount(target):
        os.execv(_REAL, ["findmnt", *argv])
    columns = _columns(argv)
    if columns is None:
        os.execv(_REAL, ["findmnt", *argv])
    found = {"TARGET": target, **{k.upper(): v for k, v in mounts[target].items()}}
    if not any(word in ("--noheadings",) or _short(word, "n") for word in argv):
        print(" ".join(columns))
    print(" ".join(found[column] for column in columns))
    return 0


def _columns(argv: list[str]) -> list[str] | None:
    for index, word in enumerate(argv[:-1]):
        if word == "--output" or _short(word, "o"):
            columns = argv[index + 1].upper().split(",")
            known = {"TARGET", "SOURCE", "FSTYPE", "OPTIONS"}
            return columns if set(columns) <= known else None
    return ["TARGET", "SOURCE", "FSTYPE", "OPTIONS"]


def _short(word: str, letter: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and letter in word


def _rewrite(rows: list[dict[str, Any]], mounts: dict[str, dict[str, str]]) -> None:
    for row in rows:
        known = mounts.get(row.get("target", ""))
        if known is not None and str(row.get("source", "")).find("/") != -1:
            for key in ("source", "fstype", "options"):
                if key in row:
                    row[key] = known[key]
        _rewrite(row.get("children", []), mounts)


sys.exit(main(sys.argv[1:]))
