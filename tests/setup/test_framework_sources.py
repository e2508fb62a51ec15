"""The folder of the frameworks' sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.setup import framework_sources, packages
from tools.setup.index import UvIndex


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A checkout without downloads; the commands that were run."""
    home = tmp_path / ".clusterwright" / "framework-sources"
    for name in ("pins.txt", "neuron.txt"):
        (tmp_path / name).write_text("a==1.0\n")
    for name, value in {
        "HOME": home,
        "_STAMP": home / "built-from",
        "PINS": {home / "a": tmp_path / "pins.txt", home / "b": tmp_path / "neuron.txt"},
        "read_committed": Path.read_bytes,
    }.items():
        monkeypatch.setattr(framework_sources, name, value)
    commands: list[list[str]] = []
    monkeypatch.setattr(packages, "uv_index", lambda *_: UvIndex({}, ()))
    monkeypatch.setattr(
        packages, "run", lambda words, **_: commands.append([str(one) for one in words])
    )
    return commands


def test_wheels_with_the_pinned_hashes_and_nothing_that_they_need(ran: list[list[str]]) -> None:
    assert framework_sources.bring_up_to_date()
    for words, folder, pins in zip(ran, ("a", "b"), ("pins.txt", "neuron.txt"), strict=True):
        assert {"--require-hashes", "--no-deps", "--only-binary=:all:"} <= set(words)
        assert words[words.index("--target") + 1].endswith(f"framework-sources/{folder}")
        assert words[-1].endswith(pins)


def test_fetched_once_and_again_with_other_pins(
    ran: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert framework_sources.main() == 0
    assert "setup: sources of training frameworks " in capsys.readouterr().err
    assert framework_sources.main() == 0
    assert len(ran) == 2
    (tmp_path / "neuron.txt").write_text("a==1.1\n")
    assert framework_sources.bring_up_to_date()
    assert len(ran) == 4
