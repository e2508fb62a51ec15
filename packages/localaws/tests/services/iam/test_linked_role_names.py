"""Tests of services.iam.linked_role_names."""

from __future__ import annotations

import pytest

from clusterwright.platforms import deployment_permissions
from clusterwright_localaws.services.iam.linked_role_names import LINKED_ROLES
from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_policies_exist() -> None:
    iam = client("iam")
    pages = iam.get_paginator("list_policies").paginate(PathPrefix="/aws-service-role/")
    known = {policy["PolicyName"] for page in pages for policy in page["Policies"]}
    # AWS retired the policy of Lex's first version; moto's list is newer than the recording.
    assert {policy for _, policy in LINKED_ROLES.values()} - known == {"AmazonLexBotPolicy"}


def test_roles_of_the_deployment_are_among_them() -> None:
    for role in deployment_permissions.LINKED_ROLES:
        short, _ = LINKED_ROLES[role.service.removesuffix(".amazonaws.com")]
        assert f"AWSServiceRoleFor{short}" == role.name
