"""The command line on a node: rights, wrong use, what runs elsewhere."""

from __future__ import annotations

import pytest
from clusterwright_state.commands import program, setting

from tests.nodes.state.commands.conftest import Commands


def test_acting_needs_root_and_reading_does_not(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program.os, "geteuid", lambda: 1001)
    for words in (("node", "drain", "workers-1", "--because=x", "--yes"), ("accept",)):
        code, out, err = commands.run(*words)
        assert code == 3
        assert not out
        assert "needs root" in err
        said = " ".join(words[:2])
        assert f"hint: sudo /usr/local/bin/clusterwright {said}; " in err
    assert commands.ran == []
    for words in (("status",), ("topology",), ("capacity",), ("accept", "--dry-run")):
        assert commands.run(*words)[0] in (0, 2)


@pytest.mark.parametrize(
    "words",
    [(), ("explode",), ("status", "prod.yaml"), ("node",), ("node", "explode", "x"), ("--x",)],
)
def test_wrong_use_is_exit_code_3(commands: Commands, words: tuple[str, ...]) -> None:
    code, out, err = commands.run(*words)
    assert code == 3
    assert not out
    assert err.startswith("error: ")


def test_a_missing_or_newer_file_is_no_traceback(commands: Commands) -> None:
    commands.setting(schema_version=setting.SCHEMA_VERSION + 1)
    code, _, err = commands.run("status")
    assert code == 2
    assert "is not of this version" in err
    commands.setting(groups=None)
    assert commands.run("status")[0] == 70
    assert "Traceback" not in commands.run("status")[2]


def test_help_names_every_command(commands: Commands, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.run("--help")
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    for name in ("status", "accept", "topology", "capacity", "drift", "diagnose", "node"):
        assert name in shown
