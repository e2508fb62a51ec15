"""Every leaf of the spec does something: changing it alone shows somewhere.

A template, `cluster.json`, the cost or a finding changes, or the new value is refused with its
position. A field that nothing reads would be accepted in silence; here it fails, and so does a new
field that nobody has added to the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clusterwright.cluster_spec import LoadedSpec, SpecErrors
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.loading import validate_for_synthesis
from tests.support import leaf_cases
from tests.support.leaf_cases import CASES, Case, leaves

load, look = leaf_cases.load, leaf_cases.look


def test_every_leaf_has_a_case() -> None:
    assert set(CASES) == set(leaves(Cluster))


ALL_CASES = [
    pytest.param(case, id=f"{leaf}-{case.shows}-{index}")
    for leaf, cases in CASES.items()
    for index, case in enumerate(cases)
]


@pytest.mark.parametrize("case", ALL_CASES)
def test_change_is_visible(
    case: Case,
    look: Callable[[str, dict[str, Any]], Any],
    load: Callable[[dict[str, Any]], LoadedSpec],
) -> None:
    validate_for_synthesis(load(case.base))
    if case.shows == "refused":
        with pytest.raises(SpecErrors) as raised:
            validate_for_synthesis(load(case.after()))
        assert all(problem.position for problem in raised.value.problems)
        return
    assert look(case.shows, case.base) != look(case.shows, case.after())
