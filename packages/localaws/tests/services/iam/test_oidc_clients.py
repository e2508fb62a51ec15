"""Client ids of an OpenID Connect provider are added and removed."""

from __future__ import annotations

import boto3
import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws


def test_client_ids_are_added_and_removed() -> None:
    with local_aws():
        iam = boto3.client("iam", region_name="us-east-1")
        arn = iam.create_open_id_connect_provider(
            Url="https://oidc.example.com/id/1", ClientIDList=["first"]
        )["OpenIDConnectProviderArn"]

        def clients() -> list[str]:
            found: list[str] = iam.get_open_id_connect_provider(OpenIDConnectProviderArn=arn)[
                "ClientIDList"
            ]
            return found

        for _ in range(2):  # the second call changes nothing
            iam.add_client_id_to_open_id_connect_provider(
                OpenIDConnectProviderArn=arn, ClientID="second"
            )
        assert clients() == ["first", "second"]
        for _ in range(2):
            iam.remove_client_id_from_open_id_connect_provider(
                OpenIDConnectProviderArn=arn, ClientID="first"
            )
        assert clients() == ["second"]
        for number in range(99):
            iam.add_client_id_to_open_id_connect_provider(
                OpenIDConnectProviderArn=arn, ClientID=str(number)
            )
        with pytest.raises(ClientError, match="LimitExceeded"):
            iam.add_client_id_to_open_id_connect_provider(
                OpenIDConnectProviderArn=arn, ClientID="more"
            )


def test_unknown_provider_is_not_found() -> None:
    with local_aws():
        iam = boto3.client("iam", region_name="us-east-1")
        with pytest.raises(ClientError, match="NoSuchEntity"):
            iam.add_client_id_to_open_id_connect_provider(
                OpenIDConnectProviderArn="arn:aws:iam::111122223333:oidc-provider/a.example",
                ClientID="x",
            )
