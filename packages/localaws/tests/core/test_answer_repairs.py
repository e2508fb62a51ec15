"""Tests of core.answer_repairs."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.model import ShapeResolver

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.answer_repairs import repaired
from packages.localaws.tests.parts import client

SHAPES: dict[str, Any] = {
    "Answer": {
        "type": "structure",
        "required": ["Id"],
        "members": {
            "Id": {"shape": "Id"},
            "Other": {"shape": "Id"},
            "Text": {"shape": "Text"},
            "Network": {"shape": "Network"},
            "Each": {"shape": "Each"},
            "Author": {"shape": "Author"},
            "Days": {"shape": "Days"},
            "IsOn": {"shape": "IsOn"},
            "ByName": {"shape": "ByName"},
        },
    },
    "Id": {"type": "string", "min": 1},
    "Text": {"type": "string"},
    "Network": {
        "type": "structure",
        "required": ["Subnets"],
        "members": {"Subnets": {"shape": "Text"}, "State": {"shape": "State"}},
    },
    "State": {"type": "string", "enum": ["on", "off"]},
    "Days": {"type": "integer", "min": 1},
    "IsOn": {"type": "boolean"},
    "Author": {
        "type": "structure",
        "required": ["By"],
        "members": {"By": {"shape": "By"}, "Network": {"shape": "Network"}},
    },
    "By": {"type": "structure", "members": {"Name": {"shape": "Text"}}},
    "Each": {"type": "list", "member": {"shape": "Network"}},
    "ByName": {"type": "map", "key": {"shape": "Text"}, "value": {"shape": "Network"}},
}


def found_in(answer: dict[str, Any]) -> dict[str, Any]:
    shape = ShapeResolver(SHAPES).get_shape_by_name("Answer")
    found: dict[str, Any] = repaired(shape, answer)
    return found


def test_optional_members_that_may_not_be_empty_are_left_out() -> None:
    answer = {
        "Id": "a",
        "Other": "",
        "Days": 0,
        "Network": {},
        "Each": [{"Subnets": "b", "State": ""}],
        "ByName": {"c": {"Subnets": "d", "State": ""}},
    }
    assert found_in(answer) == {
        "Id": "a",
        "Each": [{"Subnets": "b"}],
        "ByName": {"c": {"Subnets": "d"}},
    }


def test_required_structures_that_require_nothing_are_added() -> None:
    assert found_in({"Id": "a", "Author": {"Network": {"Subnets": "b"}}}) == {
        "Id": "a",
        "Author": {"By": {}, "Network": {"Subnets": "b"}},
    }
    assert found_in({"Id": "a", "Network": {"State": "on"}}) == {
        "Id": "a",
        "Network": {"State": "on"},
    }


@pytest.mark.parametrize(
    "answer",
    [
        {"Id": ""},
        {"Id": "a", "Text": "", "IsOn": False, "Days": 1},
        {"Id": "a", "Other": None, "Unknown": ""},
        {"Id": "a", "Each": [{}], "Network": {"State": "neither"}},
    ],
    ids=["required", "allowed", "absent or unknown", "an item, and a value"],
)
def test_the_others_stay(answer: dict[str, Any]) -> None:
    assert found_in(answer) == answer


def test_answers_of_moto_are_repaired() -> None:
    image = "123456789012.dkr.ecr.us-east-1.amazonaws.com/a:1"
    role = "arn:aws:iam::123456789012:role/model"
    with local_aws():
        sagemaker = client("sagemaker")
        sagemaker.create_model(
            ModelName="one", ExecutionRoleArn=role, PrimaryContainer={"Image": image}
        )
        found = sagemaker.describe_model(ModelName="one")
        assert "VpcConfig" not in found
        assert found["ExecutionRoleArn"] == role
        with pytest.raises(ClientError, match="Could not find model"):
            sagemaker.describe_model(ModelName="two")
        sagemaker.create_model_package_group(ModelPackageGroupName="group")
        group = sagemaker.describe_model_package_group(ModelPackageGroupName="group")
        assert group["CreatedBy"] == {}
