"""The drawing of a dashboard's layout."""

from __future__ import annotations

from xml.etree import ElementTree

from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row
from tools.docs.dashboard_drawing import drawing, is_of_hardware


def _panel(title: str, *expressions: str) -> Panel:
    return Panel(title, "About.", "watt", tuple(Query(expression) for expression in expressions))


def test_a_panel_is_of_hardware_if_each_query_is() -> None:
    neuron, emulated = "neuron_power_utilization_ratio", "gpu_power_watts"
    assert is_of_hardware(_panel("a", neuron, f"{neuron} > {emulated}"))
    assert not is_of_hardware(_panel("a", neuron, emulated))


def test_the_drawing_has_every_row_and_panel_in_its_place() -> None:
    row = Row(
        "Row & more", (_panel("A < B", "up"), _panel("Hot", "neuron_power_utilization_ratio"))
    )
    root = ElementTree.fromstring(drawing(Dashboard("x", "X", "About.", (), (row,))))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert texts == ["Row & more", "A < B", "watt", "Hot", "watt"]
    boxes = [element.attrib for element in root.iter() if element.tag.endswith("rect")]
    assert [box.get("class") for box in boxes] == ["page", None, "hardware"]
    assert int(boxes[1]["x"]) + int(boxes[1]["width"]) < int(boxes[2]["x"])
    assert int(boxes[2]["x"]) + int(boxes[2]["width"]) < int(boxes[0]["width"])
