"""Tests of cloudformation.loops and processed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.loops import expand, has_loops
from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.recursion import recursion_limit

PARAMETER = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String"}}


def parameter(value: Any) -> dict[str, Any]:
    return {**PARAMETER, "Properties": {"Type": "String", "Value": value}}


def loop(identifier: str, values: Any, **part: Any) -> dict[str, Any]:
    return {f"Fn::ForEach::Of{identifier}": [identifier, values, part]}


def body(resources: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Transform": "AWS::LanguageExtensions", "Resources": resources, **more}


class TestExpansion:
    def test_nested_loops(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-07-04."""
        inner = loop("Suffix", ["A", "B"], **{"My${Prefix}${Suffix}": {"Sub": "v ${Suffix}"}})
        part = {"My${Prefix}": {"Value": {"Ref": "Prefix"}}, **inner}
        found = expand(body(loop("Prefix", ["Foo", "Bar"], **part)), [], None)["Resources"]
        assert list(found) == ["MyFoo", "MyFooA", "MyFooB", "MyBar", "MyBarA", "MyBarB"]
        assert found["MyBar"] == {"Value": "Bar"}
        assert found["MyFooB"] == {"Sub": "v B"}
        assert not has_loops(found)

    @pytest.mark.parametrize(
        ("collection", "names"),
        [
            ({"Ref": "Names"}, ["a-1", "b-2"]),
            ([{"Ref": "One"}, "c"], ["one", "c"]),
            ({"Fn::FindInMap": ["Sets", {"Ref": "One"}, "all"]}, ["x", "y"]),
        ],
    )
    def test_collections(self, collection: Any, names: list[str]) -> None:
        template = body(
            loop("Name", collection, **{"R&{Name}": {"Value": "${Name}"}}),
            Parameters={
                "Names": {"Type": "CommaDelimitedList"},
                "One": {"Type": "String", "Default": "one"},
            },
            Mappings={"Sets": {"one": {"all": ["x", "y"]}}},
        )
        given = [{"ParameterKey": "Names", "ParameterValue": "a-1, b-2"}]
        found = expand(template, given, None)["Resources"]
        assert [each["Value"] for each in found.values()] == names
        assert all(name.isalnum() for name in found)

    def test_previous_values(self) -> None:
        template = body(
            loop("N", {"Ref": "Names"}, **{"R${N}": {}}),
            Parameters={"Names": {"Type": "CommaDelimitedList"}},
        )
        given = [{"ParameterKey": "Names", "UsePreviousValue": True}]
        assert list(expand(template, given, {"Names": ["a"]})["Resources"]) == ["Ra"]

    @pytest.mark.parametrize(
        "part",
        [
            {},
            {"R${N}${M}": {"Value": "x" * 20_000}},
        ],
        ids=["nothing", "much text"],
    )
    def test_what_becomes_too_large_is_refused(self, part: dict[str, Any]) -> None:
        names = [str(n) for n in range(300)]
        template = body(loop("N", names, **loop("M", names, **part)))
        with pytest.raises(ValidationError, match="more than 1,000,000 characters"):
            expand(template, [], None)

    def test_malformed_keys_of_a_map_are_refused(self) -> None:
        template = body(loop("N", {"Fn::FindInMap": ["M", ["a"], "b"]}, R={}), Mappings={"M": {}})
        with pytest.raises(ValidationError, match="cannot resolve the collection"):
            expand(template, [], None)

    def test_deep_templates(self) -> None:
        deep: Any = {}
        for _ in range(2_000):
            deep = {"a": deep}
        assert not has_loops(deep)
        with recursion_limit(1_500), pytest.raises(ValidationError, match="nested too deeply"):
            expand(body(loop("N", ["a"], R={}), Metadata=deep), [], None)

    @pytest.mark.parametrize(
        "resources",
        [
            loop("N", {"Ref": "Unknown"}, R={}),
            loop("N", ["a", "b"], R={}),
            {"Fn::ForEach::Bad": ["N", ["a"]]},
            loop(
                "N", [str(n) for n in range(200)], **loop("M", list(range(200)), **{"${N}${M}": 1})
            ),
            loop("N", ["a"], **loop("N", ["b"], **{"R${N}": {}})),
        ],
    )
    def test_what_is_refused(self, resources: dict[str, Any]) -> None:
        with pytest.raises(ValidationError, match="Fn::ForEach"):
            expand(body(resources), [], None)


@pytest.mark.usefixtures("aws")
class TestStacks:
    def test_processed_template(self) -> None:
        """As recorded on AWS by LocalStack's tests, 2025-07-04."""
        cloudformation = client("cloudformation")
        template = body(
            {
                **loop(
                    "Name", {"Ref": "Names"}, **{"P${Name}": parameter({"Fn::Sub": "v ${Name}"})}
                ),
                "Count": parameter({"Fn::Length": {"Ref": "Names"}}),
            },
            Parameters={"Names": {"Type": "CommaDelimitedList"}},
            Outputs={"Out": {"Value": {"Ref": "Count"}}},
        )

        def wanted(names: str) -> dict[str, Any]:
            values = [{"ParameterKey": "Names", "ParameterValue": names}]
            expanded = {"Capabilities": ["CAPABILITY_AUTO_EXPAND"]}
            return {"StackName": "s", "Parameters": values, **expanded}

        text = json.dumps(template)
        cloudformation.create_stack(**wanted("A,B"), TemplateBody=text)
        cloudformation.get_waiter("stack_create_complete").wait(StackName="s")
        found = cloudformation.get_template(StackName="s", TemplateStage="Processed")
        processed = found["TemplateBody"]
        assert "Transform" not in processed
        resources = processed["Resources"]
        assert resources["PA"]["Properties"]["Value"] == "v A"
        assert resources["Count"]["Properties"]["Value"] == 2
        assert processed["Outputs"] == template["Outputs"]
        original = cloudformation.get_template(StackName="s", TemplateStage="Original")
        assert original["TemplateBody"] == template
        cloudformation.update_stack(**wanted("A,C"), UsePreviousTemplate=True)
        cloudformation.get_waiter("stack_update_complete").wait(StackName="s")
        listed = cloudformation.list_stack_resources(StackName="s")["StackResourceSummaries"]
        kept = [each for each in listed if each["ResourceStatus"] != "DELETE_COMPLETE"]
        assert {each["LogicalResourceId"] for each in kept} == {"PA", "PC", "Count"}

    def test_a_loop_needs_the_transform(self) -> None:
        template = {"Resources": loop("N", ["a"], **{"R${N}": parameter("x")})}
        found = refusal(
            client("cloudformation").create_stack, StackName="s", TemplateBody=json.dumps(template)
        )
        assert found[0] == "ValidationError"
        assert "AWS::LanguageExtensions" in found[1]
