"""The encryption key."""

from __future__ import annotations

from pathlib import Path

from tests.support.bills import bill_of, line


def test_requests_are_charged_by_use(tmp_path: Path) -> None:
    bill = bill_of(tmp_path)
    assert line(bill, "KMS key").quantity == 1
    assert line(bill, "KMS requests").by_use
