"""`lfs`: files that are only in S3, and their restoration."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from clusterwright_preload import lustre
from clusterwright_preload.lustre import LustreError, released, restore

Lfs = Callable[..., list[list[str]]]


@pytest.fixture
def lfs(monkeypatch: pytest.MonkeyPatch) -> Lfs:
    """`lfs(code, stdout, stderr)` sets the answer, and returns the list of calls."""

    def answer(code: int = 0, stdout: str = "", stderr: str = "") -> list[list[str]]:
        calls: list[list[str]] = []

        def run(words: list[str], **_: Any) -> Any:
            calls.append(words)
            return subprocess.CompletedProcess(words, code, stdout, stderr)

        monkeypatch.setattr(lustre.subprocess, "run", run)
        return calls

    return answer


def test_files_that_are_only_in_s3(lfs: Lfs) -> None:
    lines = (
        "/fsx/a: (0x0000000d) released exists archived, archive_id:1\n"
        "/fsx/b: (0x00000009) exists archived, archive_id:1\n"
        "/fsx/released: (0x00000000)\n"
        "/fsx/d: (0x0000000d) released exists archived, archive_id:1\n"
    )
    calls = lfs(stdout=lines)
    paths = ["/fsx/a", "/fsx/b", "/fsx/released", "/fsx/gone", "/fsx/d"]
    assert released(paths) == ["/fsx/a", "/fsx/d"]
    assert calls == [["lfs", "hsm_state", *paths]]


def test_files_that_are_gone_are_no_error(lfs: Lfs) -> None:
    lfs(2, "/fsx/a: (0x0000000d) released exists archived, archive_id:1\n", "no such file")
    assert released(["/fsx/gone", "/fsx/a"]) == ["/fsx/a"]


def test_a_failure_has_the_last_line(lfs: Lfs) -> None:
    lfs(1, "", "first\nnot a Lustre file system\n")
    with pytest.raises(LustreError, match=r"^lfs hsm_state: not a Lustre file system$"):
        released(["/tmp/a"])
    lfs(1, "", "")
    with pytest.raises(LustreError, match=r"^lfs hsm_restore: no reason given$"):
        restore(["/fsx/a"])


def test_restoration(lfs: Lfs) -> None:
    calls = lfs()
    restore(["/fsx/a", "/fsx/b"])
    assert calls == [["lfs", "hsm_restore", "/fsx/a", "/fsx/b"]]


def test_an_image_without_lfs(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(lustre.subprocess, "run", missing)
    with pytest.raises(LustreError, match="the image has no lfs"):
        restore(["/fsx/a"])


def test_a_hanging_lfs(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(words: list[str], **options: Any) -> None:
        raise subprocess.TimeoutExpired(words, options["timeout"])

    monkeypatch.setattr(lustre.subprocess, "run", hangs)
    with pytest.raises(LustreError, match="lfs hsm_state did not respond within 300 s"):
        released(["/fsx/a"])
