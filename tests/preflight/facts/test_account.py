"""The applied value of a quota, and its usage."""

from __future__ import annotations

import pytest

from clusterwright.aws.quotas import AppliedQuota as Applied
from clusterwright.aws.quotas import UsageMetric
from clusterwright.preflight.facts.account import AppliedQuota, QuotaState
from clusterwright.preflight.facts.fact import Place

FACT = AppliedQuota("ec2", "L-1")
METRIC = UsageMetric("AWS/Usage", "ResourceCount", (("Service", "EC2"),), "Maximum", "us-east-1")


def test_a_quota_without_a_metric_is_one_request() -> None:
    reading = FACT.read()
    (request,) = next(reading)
    assert request.arguments == ("ec2", "L-1")
    with pytest.raises(StopIteration) as end:
        reading.send([Applied(8.0, None, True)])
    assert end.value.value == QuotaState(8.0, adjustable=True)


def test_the_metric_of_a_quota_is_read_too() -> None:
    reading = FACT.read()
    next(reading)
    (request,) = reading.send([Applied(8.0, METRIC, False)])
    dimensions = (("Service", "EC2"),)
    assert request.arguments == (
        *("AWS/Usage", "ResourceCount", dimensions),
        *("Maximum", "us-east-1"),
    )
    with pytest.raises(StopIteration) as end:
        reading.send([3.0])
    assert end.value.value == QuotaState(8.0, 3.0, False)


@pytest.mark.parametrize(("service", "region"), [("ec2", "us-west-2"), ("iam", "us-east-1")])
def test_the_arn_of_a_quota(service: str, region: str) -> None:
    found = AppliedQuota(service, "L-1").resources(Place("aws", "us-west-2", "111122223333"))
    arn = f"arn:aws:servicequotas:{region}:111122223333:{service}/L-1"
    assert found == {"servicequotas:GetServiceQuota": arn}
