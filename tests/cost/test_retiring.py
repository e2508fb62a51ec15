"""File systems of a spec, and the saving of deleting one."""

from __future__ import annotations

from pathlib import Path

from clusterwright.cost.retiring import find_file_system, saving
from tests.support import specs
from tests.support.bills import bill_of


def test_a_file_system_is_found_by_its_mount_path(tmp_path: Path) -> None:
    changes = {"storage.lustre": [specs.LUSTRE]}
    found = find_file_system(specs.load(tmp_path, changes).cluster, "/fsx/")
    assert found is not None
    assert not found.existing
    assert find_file_system(specs.load(tmp_path, changes).cluster, "/nowhere") is None
    saved = saving(bill_of(tmp_path, changes), found)
    assert saved.lines
    assert saved.monthly_usd == sum(line.monthly_usd or 0 for line in saved.lines)
