"""Values known after a deployment only, and their placeholders."""

from __future__ import annotations

import re

from clusterwright.platforms.parallelcluster.outputs import VALUES, as_outputs
from clusterwright.platforms.parallelcluster.supplied import placeholders
from tests.support.parallelcluster_specs import SMALL
from tests.support.validation import cluster

RDS = {"slurm.accounting": {"kind": "rds"}}


def test_placeholders_have_the_format_of_the_values() -> None:
    values = as_outputs(placeholders(cluster(RDS, SMALL)))
    assert values.keys() == VALUES.keys() - {
        "PlacementGroups",
        "HeadSecurityGroupIds",
        "QueueScripts",
    }
    for name, value in values.items():
        assert re.fullmatch(VALUES[name].pattern, value), name


def test_what_the_spec_does_not_build_has_no_placeholder() -> None:
    found = placeholders(cluster({"storage": {}, "slurm.accounting": {"kind": "none"}}, SMALL))
    assert (found.lustre_ids, found.home_volume_id, found.database) == ({}, None, None)


def test_the_network_of_the_spec_is_used() -> None:
    existing = {
        "vpc_id": "vpc-0a1b2c3d4e5f60718",
        "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
        "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
    }
    network = {"availability_zone_id": "use1-az6", "existing": existing}
    found = placeholders(cluster({"network": network}, SMALL))
    assert {found.head_subnet_id, found.login_subnet_id, found.compute_subnet_id} == {
        "subnet-0a1b2c3d4e5f60718"
    }
    assert found.security_group_ids == ("sg-0a1b2c3d4e5f60718",)


def test_the_secret_is_in_the_partition_of_the_spec() -> None:
    spec = cluster({**RDS, "partition": "aws-us-gov", "region": "us-gov-west-1"}, SMALL)
    database = placeholders(spec).database
    assert database is not None
    assert database.password_secret_arn.startswith(
        "arn:aws-us-gov:secretsmanager:us-gov-west-1:111122223333:secret:train/"
    )
