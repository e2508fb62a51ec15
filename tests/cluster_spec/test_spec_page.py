"""The reference page: current, and complete."""

from __future__ import annotations

import pytest

from clusterwright.cluster_spec import spec_page
from clusterwright.cluster_spec.keys import places_of
from tests.support.rich_specs import BUILT, EXISTING, SCRIPTED, paths


def test_every_key_has_a_row() -> None:
    page = spec_page.page()
    for base in (BUILT, EXISTING, SCRIPTED):
        for path in paths(base):
            if isinstance(path[-1], str) and path[0] != "tags":
                assert f"| `{path[-1]}` |" in page
                assert places_of(path[-1])


@pytest.mark.parametrize(
    "row",
    [
        "| `count` | integer, 0 to 6,758 | required | Number of instances, including spares. |",
        "| `partition` | `aws` \\| `aws-us-gov` \\| `aws-cn` | from `region` | AWS partition; "
        "derived from the region. |",
        "| `hours` | number, greater than 0, at most 87,600 | required | Duration of the "
        "run, for its cost. |",
        "| `pyxis` | `true` \\| `false` | `false` | Containers in Slurm jobs (Enroot with the "
        "Pyxis plug-in). |",
        "| `alert_thresholds_percent` | list of integer, 1 to 1,000 (at least 1, at most 5 "
        "entries) | `[80, 100]` | Percentages of `monthly_usd`. |",
    ],
)
def test_rows_have_type_default_and_description(row: str) -> None:
    assert row in spec_page.page()


def test_every_line_of_a_table_has_the_same_columns() -> None:
    for line in spec_page.page().splitlines():
        if line.startswith("|"):
            assert line.replace("\\|", "").count("|") == 5, line
