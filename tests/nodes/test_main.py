"""The command line of the node program."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from clusterwright_node.catalogue import step_names
from clusterwright_node.main import main


def test_usage_errors_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--nonsense"]) == 3
    assert main([]) == 3
    assert "--configuration and --inputs are required" in capsys.readouterr().err
    assert main(["--help"]) == 0


def test_other_users_than_root_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    stream = io.StringIO()
    arguments = ["--configuration", "managed", "--inputs", str(tmp_path)]
    assert main(arguments, stream=stream) == 3
    assert stream.getvalue() == (
        "clusterwright: step start failed: not root. What to do: run it with sudo\n"
    )


def test_steps_are_listed() -> None:
    stream = io.StringIO()
    assert main(["--list"], stream=stream) == 0
    lines = stream.getvalue().splitlines()
    assert len(lines) == len(step_names())
    assert lines[0].split(None, 1) == ["identify", "Identify this node."]
