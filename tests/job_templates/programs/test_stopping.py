"""How programs of jobs end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.job_templates.programs.loading import PROGRAMS, program

stopping = program("stopping", PROGRAMS)


def raising(error: Exception) -> Callable[[], None]:
    def work() -> None:
        raise error

    return work


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert stopping.exit_code(lambda: None) == 0
    assert stopping.exit_code(raising(stopping.StopError("no data", 92))) == 92
    assert stopping.exit_code(raising(stopping.StopError("it failed"))) == 1
    assert stopping.exit_code(raising(OSError("disk full"))) == 1
    assert capsys.readouterr().out == "no data\nit failed\ndisk full\n"
    with pytest.raises(ZeroDivisionError):
        stopping.exit_code(raising(ZeroDivisionError()))


def test_the_newest_whole_checkpoint(tmp_path: Path) -> None:
    for step, whole in ((90, True), (100, False)):
        folder = tmp_path / f"step-{step}"
        folder.mkdir()
        if whole:
            (folder / ".metadata").touch()
    assert stopping.newest_checkpoint(tmp_path, ".metadata") == tmp_path / "step-90"
    with pytest.raises(stopping.StopError, match="has no checkpoint with complete") as error:
        stopping.newest_checkpoint(tmp_path, "complete")
    assert error.value.code == 92
