"""The file that the node program writes for the commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusterwright_state.commands import setting

from tests.nodes.state.commands.conftest import Commands


def test_the_groups_have_roles(commands: Commands, tmp_path: Path) -> None:
    found = setting.read(str(tmp_path / "commands.json"))
    assert found.on_hyperpod
    assert found.role_of("workers") == "compute"
    assert found.role_of("other") is None
    assert commands.nodes


@pytest.mark.parametrize("text", ["", "[]", '{"schema_version": 0}'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "commands.json").write_text(text)
    with pytest.raises(setting.Stop, match="is missing, or is not of this version") as stopped:
        setting.read(str(tmp_path / "commands.json"))
    assert stopped.value.exit_code == 2
    assert stopped.value.hint
