"""Keys and their policies."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws import kms
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

ID = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
ARN = f"arn:aws:kms:us-east-1:111122223333:key/{ID}"


@pytest.mark.parametrize(
    ("answer", "spec", "manager"),
    [
        (
            {"Arn": ARN, "KeySpec": "SYMMETRIC_DEFAULT", "KeyManager": "CUSTOMER"},
            "SYMMETRIC_DEFAULT",
            "CUSTOMER",
        ),
        (
            {"Arn": ARN, "CustomerMasterKeySpec": "RSA_2048", "KeyManager": "AWS"},
            "RSA_2048",
            "AWS",
        ),
        ({}, "", ""),
    ],
)
def test_a_key(session: AwsSession, answer: dict[str, Any], spec: str, manager: str) -> None:
    metadata = {"KeyId": ID, "KeyState": "Enabled", **answer}
    with Stubber(session.client("kms")) as stub:
        stub.add_response("describe_key", {"KeyMetadata": metadata}, {"KeyId": ARN})
        assert kms.key(session, ARN) == kms.Key(ARN, "Enabled", spec, manager)


def test_a_key_that_does_not_exist(session: AwsSession) -> None:
    with Stubber(session.client("kms")) as stub:
        stub.add_client_error("describe_key", "NotFoundException")
        stub.add_client_error("get_key_policy", "NotFoundException")
        assert kms.key(session, ARN) is None
        assert kms.key_policy(session, ARN) is None


def test_a_denial_is_not_a_missing_key(session: AwsSession) -> None:
    with Stubber(session.client("kms")) as stub:
        for operation, read in (("describe_key", kms.key), ("get_key_policy", kms.key_policy)):
            stub.add_client_error(operation, "AccessDeniedException", http_status_code=400)
            with pytest.raises(AwsUnavailable) as caught:
                read(session, ARN)
            assert caught.value.reason == "denied"


def test_the_policy_of_a_key(session: AwsSession) -> None:
    with Stubber(session.client("kms")) as stub:
        asked = {"KeyId": ARN, "PolicyName": "default"}
        stub.add_response("get_key_policy", {"Policy": "{}"}, asked)
        assert kms.key_policy(session, ARN) == "{}"
