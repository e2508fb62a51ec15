"""Runs `clusterwright` in this process, as a user would from a folder."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Answer:
    """Result of one run."""

    exit_code: int
    out: str
    err: str


def clusterwright(*arguments: str | os.PathLike[str], folder: Path | None = None) -> Answer:
    """Run once, without the settings of a terminal; assert that the output has no traceback."""
    from clusterwright.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(folder) if folder else contextlib.nullcontext(),
    ):
        exit_code = main([os.fspath(argument) for argument in arguments])
    answer = Answer(exit_code, out.getvalue(), err.getvalue())
    assert "Traceback" not in answer.out + answer.err
    return answer


@contextlib.contextmanager
def nothing_written(folder: Path) -> Iterator[None]:
    """Assert that the folder has the same files with the same content afterwards."""
    before = _content(folder)
    yield
    assert _content(folder) == before


def _content(folder: Path) -> dict[str, bytes | str]:
    return {
        str(path.relative_to(folder)): "(folder)" if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }
