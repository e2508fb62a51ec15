"""Progress lines of the set-up."""

from __future__ import annotations

import pytest

from tools.setup import progress
from tools.setup.progress import Progress


def test_a_step_has_its_number_and_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(6).step(3, "packages"):
        pass
    err = capsys.readouterr().err
    assert err.startswith("setup: [3/6] packages ... ")
    assert err.endswith(" s\n")


def test_a_failure_is_shown_and_raised(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="bad"), Progress(1).step(1, "node"):
        raise ValueError("bad")
    assert capsys.readouterr().err == "setup: [1/1] node ... failed\n"


def test_a_long_step_shows_dots(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    monkeypatch.setattr(progress, "_SECONDS_PER_DOT", 0.01)
    with Progress(1).step(1, "cdk"):
        time.sleep(0.1)
    assert "cdk ...." in capsys.readouterr().err
