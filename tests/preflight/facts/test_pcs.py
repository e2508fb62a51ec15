"""Tests of preflight.facts.pcs."""

from __future__ import annotations

import pytest
from botocore.stub import Stubber

from clusterwright.aws.session import AwsSession
from clusterwright.preflight.facts.fact import Place
from clusterwright.preflight.facts.pcs import PcsCluster, ServiceOffered


def test_arns_for_the_policy() -> None:
    assert PcsCluster("dev").resources(Place("aws", "us-east-1", "111122223333")) == {
        "pcs:GetCluster": "arn:aws:pcs:us-east-1:111122223333:cluster/*"
    }


def test_a_service_is_offered_where_the_public_parameter_exists() -> None:
    session = AwsSession("us-east-1")
    name = "/aws/service/global-infrastructure/regions/ca-central-1/services/pcs"
    with Stubber(session.client("ssm")) as stub:
        (request,) = next(ServiceOffered("ca-central-1", "pcs").read())
        stub.add_response("get_parameter", {"Parameter": {"Value": "pcs"}}, {"Name": name})
        assert request.put(session) is True
        stub.add_client_error("get_parameter", "ParameterNotFound")
        reading = ServiceOffered("ca-central-1", "pcs").read()
        (request,) = next(reading)
        answer = request.put(session)
        with pytest.raises(StopIteration) as end:
            reading.send([answer])
        assert end.value.value is False
