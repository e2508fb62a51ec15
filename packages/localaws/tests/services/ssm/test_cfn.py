"""Parameters of a template."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.ssm.cfn import Parameter
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")


@pytest.mark.parametrize(("name", "end"), [("/a/b", "parameter/a/b"), ("c", "parameter/c")])
def test_a_parameter_is_created_changed_and_deleted(name: str, end: str) -> None:
    ssm = client("ssm")
    before = {"Name": name, "Type": "String", "Value": "1", "Tags": tags(a="1")}
    created = Parameter().create(context(), before)
    assert created.physical_id == name
    assert created.attributes["Arn"].endswith(f":{end}")
    assert (created.attributes["Type"], created.attributes["Value"]) == ("String", "1")
    after = {"Name": name, "Type": "StringList", "Value": "1,2", "Tags": tags(b="2")}
    changed = Parameter().update(context(), name, before, after)
    assert changed.attributes["Value"] == "1,2"
    found = Parameter().read(context(), name, after)
    assert (found["Name"], found["Value"]) == (name, "1,2")
    listed = ssm.list_tags_for_resource(ResourceType="Parameter", ResourceId=name)
    assert listed["TagList"] == tags(b="2")
    Parameter().delete(context(), name, after)
    assert refusal(ssm.get_parameter, Name=name)[0] == "ParameterNotFound"


def test_a_name_that_is_not_given_is_generated() -> None:
    created = Parameter().create(context(), {"Type": "String", "Value": "1"})
    assert created.physical_id == "CFN-Thing-AbCdEfGhIjKl"
