"""Tests of server.client_tokens: repeated calls of services with client tokens."""

from __future__ import annotations

import pytest

from packages.localaws.tests.eks_parts import build_eks_site
from packages.localaws.tests.fsx_requests import create, lustre
from packages.localaws.tests.parts import Site, build_site, client, open_lustre_ports, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.fixture
def file_system() -> str:
    site: Site = build_site()
    open_lustre_ports(site)
    return str(create(lustre(site, 1200, DeploymentType="SCRATCH_2"))["FileSystemId"])


def test_an_update_is_made_once(file_system: str) -> None:
    fsx = client("fsx")
    asked = {"FileSystemId": file_system, "ClientRequestToken": "t"}
    first = fsx.update_file_system(**asked, StorageCapacity=2400)["FileSystem"]
    again = fsx.update_file_system(**asked, StorageCapacity=2400)["FileSystem"]
    assert again == first
    code, _ = refusal(fsx.update_file_system, **asked, StorageCapacity=4800)
    assert code == "IncompatibleParameterError"


def test_a_deletion_is_made_once(file_system: str) -> None:
    fsx = client("fsx")
    asked = {"FileSystemId": file_system, "ClientRequestToken": "t"}
    first = fsx.delete_file_system(**asked)
    assert fsx.delete_file_system(**asked)["Lifecycle"] == first["Lifecycle"] == "DELETING"
    assert refusal(fsx.delete_file_system, FileSystemId=file_system)[0] != ""


def test_a_workspace_that_moto_keeps_is_created_once() -> None:
    amp = client("amp")
    first = amp.create_workspace(alias="one", clientToken="t")["workspaceId"]
    assert amp.create_workspace(alias="one", clientToken="t")["workspaceId"] == first
    # The API's model names no error for a token with other parameters.
    assert amp.create_workspace(alias="two", clientToken="t")["workspaceId"] == first
    assert len(amp.list_workspaces()["workspaces"]) == 1
    assert amp.create_workspace(alias="one")["workspaceId"] != first


def test_a_token_belongs_to_one_operation() -> None:
    eks = client("eks")
    build_eks_site().create()
    asked = {"clusterName": "eks", "clientRequestToken": "t"}
    arn = "arn:aws:iam::111122223333:role/one"
    entry = eks.create_access_entry(**asked, principalArn=arn)["accessEntry"]
    assert eks.create_access_entry(**asked, principalArn=arn)["accessEntry"] == entry
    assert eks.update_access_entry(**asked, principalArn=arn, username="me")["accessEntry"]
    assert refusal(eks.create_access_entry, **asked, principalArn=f"{arn}2") == (
        "InvalidParameterException",
        "The clientRequestToken was used with other parameters before.",
    )
