"""The reference page is made from the scenarios, and has all of them."""

from __future__ import annotations

import re

from clusterwright_rehearsal import scenarios_page
from clusterwright_rehearsal.scenario_api.context import Stage
from clusterwright_rehearsal.scenario_loader import scenarios
from clusterwright_rehearsal.verdict import NOT_COVERED


def test_page_is_current() -> None:
    assert scenarios_page.main(["--check"]) == 0, (
        "run `python -m clusterwright_rehearsal.scenarios_page`"
    )


def test_page_has_every_scenario_promise_and_gap() -> None:
    found = scenarios()
    text = scenarios_page.page(found)
    for scenario in found:
        assert f"\n## {scenario.name}\n\n{scenario.title}\n" in text
        for name, promise in scenario.promises.items():
            assert f"| `{name}` | {' '.join(promise.split())} |" in text
    for gap in NOT_COVERED:
        assert gap in text


def test_page_says_what_a_stage_can_do_and_nothing_private() -> None:
    text = scenarios_page.page(scenarios())
    public = [
        name for name in vars(Stage) if not name.startswith("_") and callable(vars(Stage)[name])
    ]
    for name in public:
        assert re.search(rf"^\| `{name}\(", text, re.MULTILINE), name
    assert not re.search(r"^\| `_", text, re.MULTILINE)


def test_every_public_name_of_a_stage_is_explained() -> None:
    """A row without words helps nobody: whoever adds a method says what it does."""
    text = scenarios_page.page(scenarios())
    empty = re.findall(r"^\| `([^`]+)` \|  \|$", text, re.MULTILINE)
    assert not empty
