"""IAM Identity Center."""

from __future__ import annotations

from botocore.stub import Stubber

from clusterwright.aws import identity_center
from clusterwright.aws.session import AwsSession


def test_instances_of_a_region_on_every_page(session: AwsSession) -> None:
    with Stubber(session.client("sso-admin", "eu-west-1")) as stub:
        for letter, token in (("a", {"NextToken": "t"}), ("b", {})):
            arn = f"arn:aws:sso:::instance/ssoins-{letter * 16}"
            stub.add_response("list_instances", {"Instances": [{"InstanceArn": arn}], **token})
        assert identity_center.instance_arns(session, "eu-west-1") == (
            f"arn:aws:sso:::instance/ssoins-{'a' * 16}",
            f"arn:aws:sso:::instance/ssoins-{'b' * 16}",
        )
