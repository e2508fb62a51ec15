"""Panels: what remains of a dashboard, and places in the grid."""

from __future__ import annotations

from clusterwright.monitoring.panels import (
    Dashboard,
    Panel,
    Query,
    Row,
    placed,
    stat,
    supported,
)


def _dashboard(*rows: Row) -> Dashboard:
    return Dashboard("x", "X", "About.", (), rows)


def _panel(title: str, *expressions: str, width: int = 12) -> Panel:
    return Panel(title, "About.", "short", tuple(Query(e) for e in expressions), width=width)


def test_what_the_cluster_lacks_is_left_out() -> None:
    whole = _dashboard(
        Row("one", (_panel("a", "up", "gpu_count"), _panel("b", "gpu_count + up"))),
        Row("two", (_panel("c", "efa_device_count"),)),
    )
    found = supported(whole, {"up"})
    assert found is not None
    assert found.rows == (Row("one", (_panel("a", "up"),)),)
    assert supported(whole, {"other"}) is None
    assert supported(whole, {"up", "gpu_count", "efa_device_count"}) == whole


def test_places_follow_each_other_and_end_at_the_edge() -> None:
    row = Row("r", (stat("s", "About.", "short", Query("up")), _panel("a", "up", width=10),
                    _panel("b", "up", width=8), _panel("c", "up", width=8)))  # fmt: skip
    found = [(p.id, p.x, p.y, p.width, p.height) for p in placed(_dashboard(row))]
    assert found == [
        (1, 0, 0, 24, 1),
        (2, 0, 1, 24, 4),  # a panel of another height begins a line
        (3, 0, 5, 10, 8),
        (4, 10, 5, 14, 8),
        (5, 0, 13, 24, 8),
    ]
