"""Tests of server.install."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import build_site, client, describe


def test_state_is_discarded_at_exit() -> None:
    with local_aws():
        site = build_site()
        site.create(site.group("gpu", 1))
        assert describe()["ClusterStatus"] == "InService"
    with local_aws():
        assert client("sagemaker").list_clusters()["ClusterSummaries"] == []


def test_moto_is_unchanged_outside(aws: Runtime) -> None:
    """Callers of moto in the same process get moto, not our services."""
    aws.active = False
    try:
        with pytest.raises((ClientError, NotImplementedError)):
            client("sagemaker").list_training_plans()
    finally:
        aws.active = True
    client("sagemaker").list_training_plans()
