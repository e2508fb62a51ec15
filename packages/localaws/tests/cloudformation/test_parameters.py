from __future__ import annotations

import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.parameters import Parameter, resolve_parameters
from packages.localaws.tests.cloudformation.stacks import (
    aws,
    cloudformation,
    create,
    described,
    events,
    outputs,
    parameter,
    template,
    update,
)

pytestmark = pytest.mark.usefixtures("local")


def resolve(declaration: dict[str, Any], *given: dict[str, Any]) -> Parameter:
    return resolve_parameters({"P": declaration}, given, None, lambda name: None)["P"]


def value(text: str) -> dict[str, str]:
    return {"ParameterKey": "P", "ParameterValue": text}


@pytest.mark.parametrize(
    ("declaration", "given", "message"),
    [
        ({"Type": "String"}, [], r"Parameters: \[P\] must have values"),
        (
            {"Type": "String"},
            [{"ParameterKey": "Q", "ParameterValue": "x"}],
            r"\[Q\] do not exist in the template",
        ),
        ({"Type": "Number"}, [value("ten")], "'P' must be a number."),
        ({"Type": "Number", "MinValue": 2}, [value("1")], "'P' must be a number not less than 2"),
        (
            {"Type": "Number", "MaxValue": 2},
            [value("3")],
            "'P' must be a number not greater than 2",
        ),
        (
            {"Type": "String", "MinLength": 2},
            [value("a")],
            "'P' must contain at least 2 characters",
        ),
        (
            {"Type": "String", "MaxLength": "2"},
            [value("abc")],
            "'P' must contain at most 2 characters",
        ),
        (
            {"Type": "String", "AllowedValues": ["a", "b"]},
            [value("c")],
            "'P' must be one of AllowedValues",
        ),
        (
            {"Type": "String", "AllowedPattern": "[a-z]+"},
            [value("a1")],
            r"'P' must match pattern \[a-z\]\+",
        ),
        (
            {"Type": "String", "AllowedPattern": "x", "ConstraintDescription": "only x"},
            [value("y")],
            "'P' failed to satisfy constraint: only x",
        ),
        (
            {"Type": "CommaDelimitedList", "AllowedValues": ["a"]},
            [value("a,b")],
            "'P' must be one of AllowedValues",
        ),
        (
            {"Type": "String", "AllowedPattern": "(" * 9_000 + ")" * 9_000},
            [value("y")],
            "AllowedPattern of parameter P cannot be read",
        ),
        ({"Type": "Nonsense"}, [value("y")], "Unrecognized parameter type: Nonsense"),
        (
            {"Type": "AWS::SSM::Parameter::Value<String>"},
            [value("/none")],
            r"Unable to fetch parameters \[/none\] from parameter store for this account.",
        ),
        (
            {"Type": "String"},
            [{"ParameterKey": "P", "UsePreviousValue": True}],
            "Cannot specify usePreviousValue",
        ),
    ],
)
def test_refused(declaration: dict[str, Any], given: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        resolve(declaration, *given)


def test_pattern_that_takes_too_long_is_not_compared() -> None:
    slow = {"Type": "String", "AllowedPattern": "(a|aa)+$"}
    assert resolve(slow, value("a" * 40 + "!")).value.endswith("!")


def test_time_of_comparisons_is_limited_for_all_values_together() -> None:
    slow = {"Type": "CommaDelimitedList", "AllowedPattern": "(a|aa)+$"}
    started = time.monotonic()
    assert resolve(slow, value(",".join(["a" * 60 + "!"] * 50)))
    assert time.monotonic() - started < 10


def test_values() -> None:
    assert resolve({"Type": "String", "Default": 5}).value == "5"
    assert resolve({"Type": "CommaDelimitedList"}, value("a, b")).value == ["a", "b"]
    assert resolve({"Type": "List<AWS::EC2::Subnet::Id>"}, value("subnet-1")).value == ["subnet-1"]


ECHO = {"A": parameter({"Ref": "P"})}
OUT = {"O": {"Value": {"Ref": "P"}}}


def test_secure_string_is_no_value_of_a_parameter() -> None:
    aws("ssm").put_parameter(Name="/s", Type="SecureString", Value="hunter2")
    kind = "AWS::SSM::Parameter::Value<String>"
    body = template(ECHO, Parameters={"P": {"Type": kind, "Default": "/s"}}, Outputs=OUT)
    message = r"Parameters \[/s\] referenced by template have types not supported by Cloud"
    with pytest.raises(ClientError, match=message):
        create("s", body)


def test_an_ssm_parameter_is_read_at_every_operation() -> None:
    aws("ssm").put_parameter(Name="/version", Type="String", Value="6")
    body = template(
        ECHO,
        Parameters={"P": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/version"}},
        Outputs=OUT,
    )
    stack = create("s", body)
    assert outputs(stack) == {"O": "6"}
    assert stack["Parameters"] == [
        {"ParameterKey": "P", "ParameterValue": "/version", "ResolvedValue": "6"}
    ]
    aws("ssm").put_parameter(Name="/version", Type="String", Value="7", Overwrite=True)
    stack = update("s", body, Parameters=[{"ParameterKey": "P", "UsePreviousValue": True}])
    assert outputs(stack) == {"O": "7"}


def test_previous_value_is_used_on_request() -> None:
    body = template(ECHO, Parameters={"P": {"Type": "String", "Default": "d"}}, Outputs=OUT)
    create("s", body, Parameters=[value("given")])
    more = template(
        {**ECHO, "B": parameter("b")},
        Parameters={"P": {"Type": "String", "Default": "d"}},
        Outputs=OUT,
    )
    stack = update("s", more, Parameters=[{"ParameterKey": "P", "UsePreviousValue": True}])
    assert outputs(stack) == {"O": "given"}
    # If it is not set, the default applies again.
    assert outputs(update("s", body)) == {"O": "d"}


def test_no_echo_parameters_are_masked() -> None:
    body = template(ECHO, Parameters={"P": {"Type": "String", "NoEcho": True}})
    create("s", body, Parameters=[value("hunter2")])
    assert described("s")["Parameters"] == [{"ParameterKey": "P", "ParameterValue": "****"}]
    assert "hunter2" not in str(events("s"))


def test_false_rules_refuse_the_stack() -> None:
    body = template(
        ECHO,
        Parameters={"P": {"Type": "String"}},
        Rules={
            "CheckVersion": {
                "Assertions": [
                    {
                        "Assert": {"Fn::Not": [{"Fn::Contains": [["1", "2"], {"Ref": "P"}]}]},
                        "AssertDescription": "version 3 is needed",
                    }
                ]
            }
        },
    )
    with pytest.raises(ClientError, match="CheckVersion: version 3 is needed"):
        create("s", body, Parameters=[value("2")])
    assert cloudformation().describe_stacks()["Stacks"] == []
    assert create("s", body, Parameters=[value("3")])["StackStatus"] == "CREATE_COMPLETE"
