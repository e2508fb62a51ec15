"""Facts of the catalogue, their ages and changes as text."""

from __future__ import annotations

from clusterwright.render.catalog import (
    AgeRow,
    ChangeRow,
    FactRow,
    FactSection,
    ages_text,
    changes_text,
    facts_text,
)


def fact(name: str, value: str = "8", **more: object) -> FactRow:
    values = {
        "source": "EC2 API",
        "date": "2026-10-04",
        "note": "",
        "known": True,
        "derived": False,
        "stale": False,
        **more,
    }
    return FactRow(name, value, **values)  # type: ignore[arg-type]


def test_sources_are_listed_once() -> None:
    text = facts_text(
        "p5.48xlarge",
        [
            FactSection(
                "accelerators",
                (
                    fact("count"),
                    fact("memory_gib", "80", derived=True, stale=True),
                    fact("bandwidth", known=False, note="no source"),
                    fact("price", "66.048", source="Price List", note="Linux"),
                ),
            ),
            FactSection("prices", ()),
        ],
    )
    lines = text.splitlines()
    assert lines[0] == "p5.48xlarge"
    assert "  count       8       2026-10-04 [1]" in lines
    assert "  memory_gib  80      2026-10-04 [1] (derived, stale)" in lines
    assert "  bandwidth   unknown: no source" in lines
    assert "              Linux" in lines
    assert lines[lines.index("prices") + 1] == "  none"
    assert lines[-2:] == ["  [1] 2026-10-04: EC2 API", "  [2] 2026-10-04: Price List"]


def test_ages_have_a_line_of_totals() -> None:
    rows = [
        AgeRow("instances", 100, 2, 1, 0, 3, "2026-01-01", "2026-10-04"),
        AgeRow("quotas", 10, 0, 0, 0, 1, "2026-02-01", "2026-10-04"),
    ]
    lines = ages_text(rows, 180, "2026-11-20").splitlines()
    assert lines[0].split()[:4] == ["data", "set", "values", "unknown"]
    assert lines[1].split() == [
        *("instances", "100", "2", "1", "0", "3", "2026-01-01", "2026-10-04"),
    ]
    assert lines[-1] == (
        "110 values, 2 unknown; 4 stale on 2026-11-20: older than 180 days, or without a date"
    )


def test_changes_by_data_set() -> None:
    rows = [
        ChangeRow("instances", "p5.vcpus", "96", "192"),
        ChangeRow("instances", "p6.vcpus", None, "192"),
        ChangeRow("quotas", "L-1", "8", None),
    ]
    assert changes_text(rows, 1) == (
        "instances\n  p5.vcpus\n    - 96\n    + 192\n  p6.vcpus\n    + 192\n\n"
        "quotas\n  L-1\n    - 8\n\n3 facts changed, 1 fact confirmed\n"
    )
    assert changes_text([], 7) == "0 facts changed, 7 facts confirmed\n"
