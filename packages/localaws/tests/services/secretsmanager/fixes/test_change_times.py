"""Tests of services.secretsmanager.fixes.change_times."""

from __future__ import annotations

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client


def test_a_change_is_later_than_the_one_before(aws: Runtime) -> None:
    secrets = client("secretsmanager")
    secrets.create_secret(Name="s", SecretString="one")
    times = [secrets.describe_secret(SecretId="s")["LastChangedDate"]]
    for value in ("two", "two", "three"):
        aws.clock.advance(0.002)
        secrets.update_secret(SecretId="s", SecretString=value)
        times.append(secrets.describe_secret(SecretId="s")["LastChangedDate"])
    assert times == sorted(set(times))
