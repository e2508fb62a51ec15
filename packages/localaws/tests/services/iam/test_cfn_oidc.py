"""OpenID Connect providers of a template."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.iam.cfn_oidc import OidcProvider
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")

URL = "https://oidc.example.com/id/1"
THUMBPRINT = "a" * 40


def test_a_provider_is_created_changed_and_deleted() -> None:
    iam = client("iam")
    before = {"Url": URL, "ClientIdList": ["sts.amazonaws.com", "old"], "Tags": tags(a="1")}
    created = OidcProvider().create(context(), before)
    arn = created.physical_id
    assert created.attributes == {"Arn": arn}
    assert arn.endswith(":oidc-provider/oidc.example.com/id/1")
    assert OidcProvider().read(context(), arn, before) == {
        "Url": URL,
        "ClientIdList": ["sts.amazonaws.com", "old"],
        "ThumbprintList": [],
    }
    after = {
        "Url": URL,
        "ClientIdList": ["sts.amazonaws.com", "new"],
        "ThumbprintList": [THUMBPRINT],
        "Tags": tags(b="2"),
    }
    OidcProvider().update(context(), arn, before, after)
    found = OidcProvider().read(context(), arn, after)
    assert sorted(found["ClientIdList"]) == ["new", "sts.amazonaws.com"]
    assert found["ThumbprintList"] == [THUMBPRINT]
    listed = iam.list_open_id_connect_provider_tags(OpenIDConnectProviderArn=arn)["Tags"]
    assert listed == tags(b="2")
    OidcProvider().delete(context(), arn, after)
    assert iam.list_open_id_connect_providers()["OpenIDConnectProviderList"] == []


def test_deleting_one_that_is_gone_raises_what_the_engine_takes_as_done() -> None:
    arn = "arn:aws:iam::111122223333:oidc-provider/oidc.example.com"
    with pytest.raises(context().client("iam").exceptions.NoSuchEntityException):
        OidcProvider().delete(context(), arn, {})
