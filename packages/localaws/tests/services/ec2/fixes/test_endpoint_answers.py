"""Tests of services.ec2.fixes.endpoint_answers."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import Site, client

ANYONE = [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}]


@pytest.mark.parametrize(
    ("kind", "service", "policy"),
    [
        ("Interface", "logs", {"Statement": ANYONE}),
        ("Gateway", "s3", {"Version": "2008-10-17", "Statement": ANYONE}),
    ],
)
def test_endpoints_have_the_members_of_aws(
    site: Site, kind: str, service: str, policy: object
) -> None:
    ec2 = client("ec2")
    made = ec2.create_vpc_endpoint(
        VpcId=site.vpc_id,
        ServiceName=f"com.amazonaws.{ec2.meta.region_name}.{service}",
        VpcEndpointType=kind,
    )["VpcEndpoint"]
    (found,) = ec2.describe_vpc_endpoints(VpcEndpointIds=[made["VpcEndpointId"]])["VpcEndpoints"]
    for one in (made, found):
        assert one["RequesterManaged"] is False
        assert json.loads(one["PolicyDocument"]) == policy
        if kind == "Interface":
            assert one["IpAddressType"] == "ipv4"
            assert one["DnsOptions"] == {"DnsRecordIpType": "ipv4"}


def test_a_policy_of_the_user_is_kept(site: Site) -> None:
    ec2 = client("ec2")
    policy = {"Version": "2012-10-17", "Statement": ANYONE}
    made = ec2.create_vpc_endpoint(
        VpcId=site.vpc_id,
        ServiceName=f"com.amazonaws.{ec2.meta.region_name}.logs",
        VpcEndpointType="Interface",
        PolicyDocument=json.dumps(policy),
    )["VpcEndpoint"]
    assert json.loads(made["PolicyDocument"]) == policy
    ec2.modify_vpc_endpoint(VpcEndpointId=made["VpcEndpointId"], ResetPolicy=True)
    (found,) = ec2.describe_vpc_endpoints(VpcEndpointIds=[made["VpcEndpointId"]])["VpcEndpoints"]
    assert json.loads(found["PolicyDocument"]) == {"Statement": ANYONE}


def test_the_address_type_of_a_request_is_kept(site: Site) -> None:
    ec2 = client("ec2")
    dual = {"IpAddressType": "dualstack", "DnsOptions": {"DnsRecordIpType": "dualstack"}}
    made = ec2.create_vpc_endpoint(
        VpcId=site.vpc_id,
        ServiceName=f"com.amazonaws.{ec2.meta.region_name}.logs",
        VpcEndpointType="Interface",
        **dual,
    )["VpcEndpoint"]
    assert {key: made[key] for key in dual} == dual
    ids = [made["VpcEndpointId"]]
    ec2.modify_vpc_endpoint(VpcEndpointId=ids[0], IpAddressType="ipv4")
    (found,) = ec2.describe_vpc_endpoints(VpcEndpointIds=ids)["VpcEndpoints"]
    assert (found["IpAddressType"], found["DnsOptions"]) == ("ipv4", dual["DnsOptions"])
