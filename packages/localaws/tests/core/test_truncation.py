"""Tests of core.truncation."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore import xform_name
from pydantic import ValidationError

from clusterwright_localaws import local_aws
from packages.localaws.tests.handlers import trust
from packages.localaws.tests.parts import client, refusal

TRUST = json.dumps(trust("ec2.amazonaws.com"))
DHCP = {"DhcpConfigurations": [{"Key": "domain-name", "Values": ["example.com"]}]}


def fault(service: str, operation: str, **what: Any) -> dict[str, Any]:
    return {"service": service, "operation": operation, **what}


class TestTruncation:
    """`truncate` on lists of moto: smaller pages, and nothing lost."""

    @pytest.mark.parametrize(
        ("service", "operation", "key", "make"),
        [
            (
                "iam",
                "ListRoles",
                "Roles",
                lambda c, n: c.create_role(RoleName=f"r{n}", AssumeRolePolicyDocument=TRUST),
            ),
            (
                "logs",
                "DescribeLogGroups",
                "logGroups",
                lambda c, n: c.create_log_group(logGroupName=f"g{n}"),
            ),
            (
                "ec2",
                "DescribeVolumes",
                "Volumes",
                lambda c, n: c.create_volume(Size=1, AvailabilityZone="us-east-1a"),
            ),
            ("sns", "ListTopics", "Topics", lambda c, n: c.create_topic(Name=f"t{n}")),
        ],
    )
    def test_every_item_is_returned_once(
        self, service: str, operation: str, key: str, make: Callable[[Any, int], Any]
    ) -> None:
        faults = [fault(service, operation, truncate=2)]
        with local_aws(faults=faults):
            found = client(service)
            for number in range(5):
                make(found, number)
            pages = list(found.get_paginator(xform_name(operation)).paginate())
        assert [len(page[key]) for page in pages] == [2, 2, 1]
        names = [str(sorted(item.items(), key=str)) for page in pages for item in page[key]]
        assert len(set(names)) == 5

    def test_token_is_valid_only_for_its_list(self) -> None:
        with local_aws(faults=[fault("sns", "ListTopics", truncate=1)]):
            sns = client("sns")
            for name in ("a", "b"):
                sns.create_topic(Name=name)
            token = sns.list_topics()["NextToken"]
            assert refusal(client("sns", "eu-west-1").list_topics, NextToken=token)[0]
            assert sns.list_topics(NextToken=token)["Topics"]

    @pytest.mark.parametrize(
        ("service", "operation", "words"),
        [
            ("s3", "ListObjectsV2", "has no pages that can be cut"),
            ("ec2", "DescribeAvailabilityZones", "has no pages that can be cut"),
            ("sns", "ListTopic", "sns has no operation ListTopic"),
            ("snss", "ListTopics", "snss has no operation"),
        ],
    )
    def test_truncation_without_a_token_is_refused_at_load(
        self, service: str, operation: str, words: str
    ) -> None:
        with (
            pytest.raises(ValidationError, match=words),
            local_aws(faults=[fault(service, operation, truncate=1)]),
        ):
            pass


class TestAskedLength:
    """The length of a page that a call asks for, of lists that moto answers whole."""

    @pytest.mark.usefixtures("aws")
    @pytest.mark.parametrize(
        ("operation", "key", "make"),
        [
            (
                "DescribeVolumes",
                "Volumes",
                lambda c: c.create_volume(Size=1, AvailabilityZone="us-east-1a"),
            ),
            ("DescribeDhcpOptions", "DhcpOptions", lambda c: c.create_dhcp_options(**DHCP)),
            (
                "DescribeInternetGateways",
                "InternetGateways",
                lambda c: c.create_internet_gateway(),
            ),
        ],
    )
    def test_pages_are_as_long_as_asked(
        self, operation: str, key: str, make: Callable[[Any], Any]
    ) -> None:
        ec2 = client("ec2")
        for _ in range(12):
            make(ec2)
        whole = getattr(ec2, xform_name(operation))()[key]
        pages = list(ec2.get_paginator(xform_name(operation)).paginate(MaxResults=5))
        assert [len(page[key]) for page in pages][:2] == [5, 5]
        assert [item for page in pages for item in page[key]] == whole

    @pytest.mark.usefixtures("aws")
    def test_moto_paginates_some_lists_by_itself(self) -> None:
        ec2 = client("ec2")
        pages = list(ec2.get_paginator("describe_vpc_endpoint_services").paginate(MaxResults=7))
        ids = [one["ServiceId"] for page in pages for one in page["ServiceDetails"]]
        whole = ec2.describe_vpc_endpoint_services()["ServiceDetails"]
        assert ids == [one["ServiceId"] for one in whole]
        assert len(pages) > 2
