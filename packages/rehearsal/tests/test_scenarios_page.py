"""The reference page is made from the scenarios, and has all of them."""

from __future__ import annotations

import inspect
import re

from clusterwright_rehearsal import scenarios_page
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_loader import scenarios
from clusterwright_rehearsal.verdict import NOT_COVERED


def test_page_has_every_scenario_promise_and_gap() -> None:
    found = scenarios()
    text = scenarios_page.page(found)
    for scenario in found:
        assert f"\n## {scenario.name}\n\n{scenario.title}\n" in text
        for name, promise in scenario.promises.items():
            assert f"| `{name}` | {' '.join(promise.split())} |" in text
    for gap in NOT_COVERED:
        assert gap in text


def test_page_lists_public_methods_of_the_context_only() -> None:
    text = scenarios_page.page(scenarios())
    public = [
        name
        for name, member in inspect.getmembers(ScenarioContext, inspect.isfunction)
        if not name.startswith("_") and member.__name__ == name
    ]
    assert {"promise", "submit", "wait_idle"} <= set(public)
    for name in public:
        assert re.search(rf"^\| `{name}\(", text, re.MULTILINE), name
    assert not re.search(r"^\| `_", text, re.MULTILINE)


def test_every_public_name_has_a_description() -> None:
    text = scenarios_page.page(scenarios())
    empty = re.findall(r"^\| `([^`]+)` \|  \|$", text, re.MULTILINE)
    assert not empty
