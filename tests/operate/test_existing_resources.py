"""Resources of the file that no stack creates."""

from __future__ import annotations

from clusterwright.operate.existing_resources import not_created


def test_existing_resources_are_listed() -> None:
    resolved = {
        "network": {"existing": {"vpc_id": "vpc-1"}},
        "storage": {"lustre": [{"existing": None}, {"existing": {"id": "fs-1"}}], "home": None},
        "identity": {"kms_key_arn": "arn:aws:kms:us-east-1:111122223333:key/1"},
    }
    (found,) = not_created(resolved)
    assert found.what == (
        "existing resources: network.existing, storage.lustre[1].existing, identity.kms_key_arn"
    )
    assert not found.is_unread


def test_a_file_that_has_none() -> None:
    assert list(not_created({"network": {"existing": None}, "identity": None})) == []
