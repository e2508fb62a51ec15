"""Scenarios are loaded from the package and from files of users."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.scenario_loader import scenarios

_GOOD = """\
'''Mine.

More.
'''
ORDER = 7
PROMISES = {"a": "it is so"}

def run(context):
    pass
"""


def test_built_in_scenarios_are_valid_and_begin_with_first_boot() -> None:
    found = scenarios()
    assert found[0].name == "first-boot"
    names = {scenario.name for scenario in found}
    assert {"two-groups", "second-run", "kill-at-every-step", "node-lost", "scale"} <= names
    for scenario in found:
        assert scenario.title, scenario.name
        assert scenario.promises, scenario.name
        assert set(scenario.modes) <= {"managed", "scripted", "parallelcluster", "pcs"}, (
            scenario.name
        )


def test_user_file_is_loaded_as_a_scenario(tmp_path: Path) -> None:
    path = tmp_path / "my_own.py"
    path.write_text(_GOOD)
    (found,) = scenarios([str(path)])
    assert (found.name, found.title, found.order) == ("my-own", "Mine.", 7)
    assert found.modes == ("managed", "scripted", "parallelcluster", "pcs")


def test_selected_scenarios_keep_their_order() -> None:
    assert [s.name for s in scenarios(["node-lost", "first_boot"])] == ["first-boot", "node-lost"]


def test_unknown_scenario_is_refused_with_the_available_names() -> None:
    with pytest.raises(RehearsalError) as error:
        scenarios(["nonsense"])
    assert "first-boot" in str(error.value.hint)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (_GOOD.replace("'''Mine.\n\nMore.\n'''", ""), "docstring"),
        (_GOOD.replace("def run", "def start"), "run"),
        (_GOOD.replace("PROMISES", "PROMISE"), "PROMISES"),
        ("def run(:\n", "SyntaxError"),
    ],
)
def test_invalid_scenario_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(RehearsalError, match=says):
        scenarios([str(path)])


def test_former_name_of_the_function_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "former.py"
    path.write_text(_GOOD.replace("def run(context)", "def play(stage)"))
    (found,) = scenarios([str(path)])
    assert found.run.__name__ == "play"


def test_former_names_of_modules_and_methods_are_available() -> None:
    from clusterwright_rehearsal import faults, jobs, stage

    former = {"settle", "cut", "mend", "mend_aws", "cannot", "not_for_this"}
    assert former <= set(dir(stage.Stage))
    assert callable(faults.put)
    assert callable(jobs.counting)
