"""Home directories on FSx for OpenZFS."""

from __future__ import annotations

from pathlib import Path

from tests.support.bills import bill_of, line


def test_capacity_and_throughput_are_lines(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {"storage.home": {"kind": "openzfs", "capacity_gib": 512}})
    assert line(bill, "OpenZFS SSD storage").quantity == 512
    assert line(bill, "OpenZFS throughput").quantity is not None
    assert not [line for line in bill_of(tmp_path).lines if line.component == "home"]
