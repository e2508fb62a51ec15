"""The nodes of a PCS cluster, and user data of launch templates."""

from __future__ import annotations

import base64
import dataclasses
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.pcs.members import members, shell_scripts
from packages.rehearsal.tests.platforms.pcs.orders import group, order

MIME = """Content-Type: multipart/mixed; boundary="B"
MIME-Version: 1.0

--B
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/sh
echo one

--B
Content-Type: {kind}; charset="us-ascii"

#!/bin/sh
echo two

--B--
"""


def account(*ids: str) -> Any:
    rows = [
        {
            "InstanceId": one,
            "InstanceType": "p5.48xlarge",
            "PrivateIpAddress": f"10.0.0.{number}",
            "SubnetId": "subnet-1",
            "Placement": {"AvailabilityZone": "us-east-1a"},
            "ImageId": "ami-1",
            "SecurityGroups": [{"GroupId": "sg-1"}],
        }
        for number, one in enumerate(ids, 5)
    ]
    ec2, iam = Mock(), Mock()
    ec2.get_paginator.return_value.paginate.return_value = [
        {"Reservations": [{"Instances": [row]} for row in rows]}
    ]
    iam.get_instance_profile.return_value = {
        "InstanceProfile": {"Roles": [{"Arn": "arn:aws:iam::1:role/aws-pcs/x"}]}
    }
    return Mock(client={"ec2": ec2, "iam": iam}.__getitem__)


def test_nodes_have_their_group_role_and_address() -> None:
    login, worker = members(account("i-login1", "i-workers1"), order())
    assert (login.name, login.role, login.is_static) == ("login-1", "Login", True)
    assert (worker.name, worker.role, worker.address) == ("workers-1", "Compute", "10.0.0.6")
    assert worker.role_arn == "arn:aws:iam::1:role/aws-pcs/x"


def test_instance_beyond_the_minimum_is_not_static() -> None:
    found = order(groups=(dataclasses.replace(group(least=2), members=group(least=1).members),))
    first, second = members(account("i-workers1", "i-workers2"), found)
    assert first.is_static
    assert not second.is_static


def test_instance_that_ec2_does_not_describe_is_no_node() -> None:
    assert members(account(), order()) == []
    assert members(Mock(client=Mock(side_effect=AssertionError)), order(groups=())) == []


def test_user_data_comes_from_the_launch_template() -> None:
    template = {"UserData": base64.b64encode(b"#!/bin/sh\n").decode()}
    found = order(groups=(dataclasses.replace(group(), template=template),))
    (worker,) = members(account("i-workers1"), found)
    assert worker.user_data == "#!/bin/sh\n"


def test_security_groups_are_also_those_of_interfaces() -> None:
    found = account("i-workers1")
    row = found.client("ec2").get_paginator().paginate()[0]["Reservations"][0]["Instances"][0]
    row["SecurityGroups"] = []
    row["NetworkInterfaces"] = [{"Groups": [{"GroupId": "sg-2"}]}, {"Groups": []}]
    (worker,) = members(found, order(groups=(group(),)))
    assert worker.security_groups == ("sg-2",)


def test_scripts_of_user_data() -> None:
    assert shell_scripts("") == []
    assert shell_scripts("#!/bin/sh\necho x") == ["#!/bin/sh\necho x\n"]
    scripts = shell_scripts(MIME.format(kind="text/x-shellscript"))
    assert [text.splitlines()[1] for text in scripts] == ["echo one", "echo two"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (MIME.format(kind="text/cloud-config"), "a part of the user data is text/cloud-config"),
        ("#cloud-config\n", "not a script or a MIME message"),
    ],
)
def test_user_data_of_other_formats_is_refused(text: str, words: str) -> None:
    with pytest.raises(RehearsalError, match=words):
        shell_scripts(text)


def test_the_first_nodes_of_a_group_are_static() -> None:
    one = group(least=2, most=3)
    assert [one.is_static(number) for number in (1, 2, 3)] == [True, True, False]
    assert one.static_count == 2
