"""Tests of services.pcs.suspension; worlds that state a time are in test_versions."""

from __future__ import annotations

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.pcs.suspension import end_version
from packages.localaws.tests.parts import client
from packages.localaws.tests.pcs_parts import build_pcs_site, cluster, group, instances


def test_a_version_ends_while_a_cluster_runs() -> None:
    with local_aws():
        site = build_pcs_site()
        site.create(scheduler={"type": "SLURM", "version": "24.11"})
        site.create_group()
        (_, _), made = instances(group()["id"]), group()["id"]
        end_version(runtime(), "123456789012", "us-east-1", "24.11")
        assert cluster()["status"] == "SUSPENDING"
        assert cluster()["status"] == "SUSPENDED"
        assert (group()["status"], instances(made)) == ("SUSPENDED", [])
        client("pcs").update_cluster(clusterIdentifier="train", scheduler={"version": "25.05"})
        assert (cluster()["status"], len(instances(made))) == ("ACTIVE", 2)
