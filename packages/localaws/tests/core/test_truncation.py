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
