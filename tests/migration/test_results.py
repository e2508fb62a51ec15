"""The result of a migration."""

from __future__ import annotations

from pathlib import Path

from clusterwright.migration.results import Costs, Migration, Note
from tests.support.bills import bill_of


def test_most_notes_need_no_action() -> None:
    assert Note("compute[0]", "is renamed").do is None


def test_a_new_environment_has_no_steps_in_place() -> None:
    migration = Migration("eks", "hyperpod-eks", "text", (), (), (), ())
    assert migration.in_place == ()


def test_a_spec_that_does_not_load_has_no_cost(tmp_path: Path) -> None:
    costs = Costs(bill_of(tmp_path), None)
    assert costs.before.total.hourly_usd > 0
    assert costs.after is None
