"""The page of the dashboards."""

from __future__ import annotations

from clusterwright.monitoring.dashboards import NAMES, complete
from clusterwright.monitoring.grafana import file_name
from clusterwright.monitoring.metrics import metrics
from tools.docs.dashboard_drawing import is_of_hardware
from tools.docs.dashboards_page import documented_facts, page
from tools.docs.documents import documents


def test_the_page_has_every_panel_and_every_metric() -> None:
    text = page()
    for name in NAMES:
        dashboard = complete(name, documented_facts())
        assert f"## {dashboard.title}\n" in text
        for row in dashboard.rows:
            for panel in row.panels:
                mark = "**H**" if is_of_hardware(panel) else ""
                line = f"| {row.title} | **{panel.title}** {panel.description} | {mark} |"
                assert text.count(line) == 1, line
    for metric in metrics():
        assert f"\n| `{metric}` |" in text


def test_every_dashboard_has_a_picture() -> None:
    pictures = {each.name: each.path for each in documents() if each.name.startswith("dashboard-")}
    names = {file_name(name).removesuffix(".json") for name in NAMES}
    assert pictures == {f"dashboard-{n}": f"docs/images/dashboard-{n}.svg" for n in names}
    assert all(f"../images/dashboard-{name}.svg" in page() for name in names)
