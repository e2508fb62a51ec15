"""The steps of the set-up."""

from __future__ import annotations

from tools.setup.recipe import STEPS


def test_steps_have_unique_names_and_titles() -> None:
    assert len({step.name for step in STEPS}) == len(STEPS)
    assert len({step.title for step in STEPS}) == len(STEPS)


def test_installers_come_before_what_they_install() -> None:
    names = [step.name for step in STEPS]
    assert names.index("uv") < names.index("packages") < names.index("project")
    assert names.index("packages") < names.index("node") < names.index("cdk")


def test_inputs_are_bytes_and_outputs_are_absolute() -> None:
    for step in STEPS:
        assert all(isinstance(content, bytes) for content in step.inputs())
        assert all(path.is_absolute() for path in step.outputs())
