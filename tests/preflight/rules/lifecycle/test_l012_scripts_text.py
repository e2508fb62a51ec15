"""Tests of CW-L012."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.lifecycle_scripts import HERE


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("extra.sh", b"#!/bin/bash\r\necho\r\n", "extra.sh has CRLF line endings"),
        ("extra.sh", b"\xef\xbb\xbf#!/bin/bash\n", "extra.sh begins with a byte order mark"),
        ("extra.sh", b"echo\n", "extra.sh has no shebang line"),
        ("extra.sh", b"#!/bin/sh\n# \xff\n", "lifecycle_scripts/extra.sh is not UTF-8: byte 12"),
        (
            "extra.py",
            b"match x:\n    case 1: pass\n",
            "lifecycle_scripts/extra.py is not valid Python 3.9",
        ),
        ("extra.py", b"def f(:\n", "lifecycle_scripts/extra.py is not valid Python 3.9"),
        ("extra.py", b"a = '\x00'\n", "lifecycle_scripts/extra.py is not valid Python 3.9"),
        ("extra.json", b"{,}", "lifecycle_scripts/extra.json is not valid JSON"),
    ],
)
def test_binary_scripts_are_reported(
    rule: Harness, folder: Path, name: str, content: bytes, message: str
) -> None:
    (folder / name).write_bytes(content)
    rule.fails("CW-L012", path=HERE, message=message)
    (folder / name).unlink()
    rule.passes("CW-L012")


def test_excluded_files_are_not_read(rule: Harness, folder: Path) -> None:
    (folder / ".swap.sh").write_bytes(b"\xff")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.py").write_bytes(b"\xff")
    (folder / "helpers").mkdir()
    (folder / "helpers" / "lib.sh").write_bytes(b"# shellcheck shell=bash\n")
    (folder / "data.bin").write_bytes(b"\xff\r\n")
    rule.passes("CW-L012")


def test_script_above_the_limit_is_not_read(rule: Harness, folder: Path) -> None:
    with (folder / "extra.sh").open("wb") as file:
        file.truncate(10_000_001)
    message = "lifecycle_scripts/extra.sh cannot be read: it has more than 10,000,000 bytes"
    rule.fails("CW-L012", path=HERE, message=message)
