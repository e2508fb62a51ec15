"""What the results of an acceptance run mean."""

from __future__ import annotations

from typing import Any

import pytest
from clusterwright_common.acceptance_results import exit_code

from tests.support.acceptance_exit_codes import RESULTS


@pytest.mark.parametrize(("nodes", "checks", "suspects", "code"), RESULTS)
def test_the_exit_code(
    nodes: list[Any], checks: list[Any], suspects: list[Any], code: int
) -> None:
    assert exit_code(nodes, checks, suspects) == code
