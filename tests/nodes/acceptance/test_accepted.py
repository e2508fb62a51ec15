"""Which bandwidths of a run are kept."""

from __future__ import annotations

from clusterwright_acceptance.accepted import Accepted, merged, of
from clusterwright_acceptance.outcome import Outcome

ONE = Accepted("p5.48xlarge", 4, 32, 4096, 350.0, "run-1")


def test_a_figure_that_failed_is_not_accepted() -> None:
    subject = ("run-1", "p5.48xlarge", 4, 32, 4096)
    assert of(Outcome("pass", value=350.0), *subject) == ONE
    assert of(Outcome("unknown", value=350.0), *subject) == ONE
    assert of(Outcome("fail", value=350.0), *subject) is None
    assert of(Outcome("pass"), *subject) is None


def test_a_later_run_replaces_the_same_subject() -> None:
    other = Accepted("p5.48xlarge", 8, 64, 4096, 340.0, "run-1")
    later = Accepted("p5.48xlarge", 4, 32, 4096, 355.0, "run-2")
    kept = [ONE.to_json(), other.to_json()]
    assert merged(kept, [later]) == [other.to_json(), later.to_json()]
    assert merged("damaged", [later]) == [later.to_json()]
