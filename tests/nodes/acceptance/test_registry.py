"""The list of checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusterwright_acceptance import checks as package
from clusterwright_acceptance import registry

MODULES = {path.stem for path in Path(package.__path__[0]).glob("*.py") if path.stem != "__init__"}


def test_every_module_is_listed_once() -> None:
    of_nodes = registry.checks(scope=registry.NODE)
    listed = [check.module for check in of_nodes]
    assert set(listed) == MODULES
    assert len({check.id for check in registry.checks()}) == len(registry.checks())


@pytest.mark.parametrize("check", registry.checks(scope=registry.NODE), ids=lambda check: check.id)
def test_check_has_what_the_runner_calls(check: registry.Check) -> None:
    module = check.load()
    assert callable(module.look)
    assert callable(module.applies)
    assert check.planned_seconds < check.timeout_seconds


@pytest.mark.parametrize("level", registry.levels())
def test_planned_durations_fit_the_level(level: str) -> None:
    planned = sum(check.planned_seconds for check in registry.checks(level, registry.NODE))
    assert planned <= registry.limit_seconds(level)


def test_a_level_has_the_checks_below_it() -> None:
    quick = {check.id for check in registry.checks("quick")}
    assert quick <= {check.id for check in registry.checks("standard")}
    assert registry.check("xid").level == "quick"
    with pytest.raises(KeyError):
        registry.check("nothing")
