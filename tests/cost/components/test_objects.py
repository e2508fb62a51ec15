"""S3 buckets."""

from __future__ import annotations

from pathlib import Path

from tests.support.bills import bill_of, line


def test_noncurrent_versions_have_their_expiration(tmp_path: Path) -> None:
    buckets = [
        {"name": "kept-1", "create": True},
        {"name": "expires-1", "create": True, "expire_noncurrent_days": 30},
    ]
    note = line(bill_of(tmp_path, {"storage.buckets": buckets}), "noncurrent versions").note
    assert note is not None
    assert "expires-1: deleted after 30 days" in note
