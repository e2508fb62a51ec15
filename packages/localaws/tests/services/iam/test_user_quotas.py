"""Tests of services.iam.user_quotas."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def iam(aws: Any) -> Any:
    client("iam").create_user(UserName="u")
    return client("iam")


def test_a_user_is_in_ten_groups(iam: Any) -> None:
    for number in range(11):
        iam.create_group(GroupName=f"g{number}")
        if number < 10:
            iam.add_user_to_group(GroupName=f"g{number}", UserName="u")
    expected = ("LimitExceeded", "Cannot exceed quota for GroupsPerUser: 10")
    assert refusal(iam.add_user_to_group, GroupName="g10", UserName="u") == expected
    # A member is added again without an effect.
    iam.add_user_to_group(GroupName="g9", UserName="u")
    iam.remove_user_from_group(GroupName="g0", UserName="u")
    iam.add_user_to_group(GroupName="g10", UserName="u")
    assert len(iam.list_groups_for_user(UserName="u")["Groups"]) == 10


def test_a_user_has_eight_mfa_devices(iam: Any) -> None:
    def enable(number: int) -> dict[str, str]:
        name = f"d{number}"
        made = iam.create_virtual_mfa_device(VirtualMFADeviceName=name)["VirtualMFADevice"]
        codes = {"AuthenticationCode1": "234567", "AuthenticationCode2": "987654"}
        return {"UserName": "u", "SerialNumber": made["SerialNumber"], **codes}

    for number in range(8):
        iam.enable_mfa_device(**enable(number))
    expected = ("LimitExceeded", "Cannot exceed quota for MFADevicesPerUser: 8")
    assert refusal(iam.enable_mfa_device, **enable(8)) == expected


def test_a_user_has_five_ssh_keys(iam: Any) -> None:
    def key(number: int) -> dict[str, str]:
        return {"UserName": "u", "SSHPublicKeyBody": f"ssh-rsa {number}"}

    for number in range(5):
        iam.upload_ssh_public_key(**key(number))
    expected = ("LimitExceeded", "Cannot exceed quota for SSHPublicKeysPerUser: 5")
    assert refusal(iam.upload_ssh_public_key, **key(5)) == expected


def test_a_user_that_does_not_exist(iam: Any) -> None:
    iam.create_group(GroupName="g")
    found = refusal(iam.add_user_to_group, GroupName="g", UserName="absent")
    assert found[0] == "NoSuchEntity"
