"""The quotas of roles and identity providers."""

from __future__ import annotations

import json

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "ec2.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
)


def test_roles_beyond_the_quota_are_refused() -> None:
    with local_aws(quotas={"iam/L-FE177D64": 1}):
        iam = client("iam")
        iam.create_role(RoleName="a", AssumeRolePolicyDocument=TRUST)
        again = {"RoleName": "b", "AssumeRolePolicyDocument": TRUST}
        refused = ("LimitExceeded", "Cannot exceed quota for RolesPerAccount: 1")
        assert refusal(iam.create_role, **again) == refused
        # The quota is the account's: another region has the same roles.
        assert refusal(client("iam", "us-west-2").create_role, **again) == refused
        iam.delete_role(RoleName="a")
        iam.create_role(**again)


def test_identity_providers_beyond_the_quota_are_refused() -> None:
    with local_aws(quotas={"iam/L-858F3967": 1}):
        iam = client("iam")
        iam.create_open_id_connect_provider(Url="https://a.example.com", ThumbprintList=["a" * 40])
        assert refusal(
            iam.create_open_id_connect_provider,
            Url="https://b.example.com",
            ThumbprintList=["a" * 40],
        ) == ("LimitExceeded", "Cannot exceed quota for OpenIdConnectProvidersPerAccount: 1")
