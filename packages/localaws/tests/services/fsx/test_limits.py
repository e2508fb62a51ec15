"""Tests of services.fsx.limits."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws import local_aws
from packages.localaws.tests.fsx_requests import create, lustre
from packages.localaws.tests.parts import build_site, client, open_lustre_ports, refusal

P2 = {"DeploymentType": "PERSISTENT_2"}


def refused(request: dict[str, Any]) -> tuple[str, str]:
    return refusal(client("fsx").create_file_system, **request)


def test_quotas_are_enforced() -> None:
    with local_aws(quotas={"fsx/L-8F1B9C74": 10_000}):
        site = build_site()
        open_lustre_ports(site)
        create(lustre(site, 7200, **P2, PerUnitStorageThroughput=125))
        code, message = refused(lustre(site, 4800, **P2, PerUnitStorageThroughput=125))
        assert code == "ServiceLimitExceeded"
        assert "the limit is 10000, 7200 are in use and 4800 more" in message
    with local_aws(quotas={"fsx/L-C48231E5": 0}):
        site = build_site()
        open_lustre_ports(site)
        assert refused(lustre(site, 1200, DeploymentType="SCRATCH_2"))[0] == "ServiceLimitExceeded"
