"""Tests of CW-S021."""

from __future__ import annotations

from typing import Any

from tests.preflight.existing_storage import DNS, FS_ID, STANDING
from tests.preflight.harness import Harness
from tests.preflight.rules.support.storage_settings import lustre


def test_name_that_differs_from_the_id_is_reported(rule: Harness) -> None:
    (first,) = STANDING["storage.lustre"]

    def named(dns_name: str) -> dict[str, Any]:
        return lustre({**first, "existing": {**first["existing"], "dns_name": dns_name}})

    path = "storage.lustre[0].existing.dns_name"
    other = DNS.replace("fs-0", "fs-1")
    rule.fails("CW-S021", named(other), path=path, message=f"not of {FS_ID}")
    far = DNS.replace("us-east-1", "us-west-2")
    rule.fails(
        "CW-S021", named(far), path=path, message="is in us-west-2, the cluster is in us-east-1"
    )
    rule.passes("CW-S021", named(DNS))
    home = {"dns_name": far, "security_group_id": "sg-00000001"}
    rule.fails(
        "CW-S021",
        {"storage.home": {"kind": "openzfs", "existing": home}},
        path="storage.home.existing.dns_name",
        message="is in us-west-2",
    )
