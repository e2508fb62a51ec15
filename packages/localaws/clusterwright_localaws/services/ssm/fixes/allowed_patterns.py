"""moto keeps a parameter's AllowedPattern and does not compare the value with it."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core import patterns

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SSM: a value that does not match AllowedPattern is refused"
REPRODUCTION = """\
from botocore.exceptions import ClientError

ssm = boto3.client("ssm")
try:
    ssm.put_parameter(Name="/n", Type="String", Value="letters", AllowedPattern="^[0-9]+$")
except ClientError as error:
    assert error.response["Error"]["Code"] == "ParameterPatternMismatchException"
else:
    raise AssertionError("a value that does not match the allowed pattern was accepted")
"""


def apply() -> None:
    from moto.ssm.models import SimpleSystemManagerBackend

    put_in_moto = SimpleSystemManagerBackend.put_parameter

    def put_parameter(
        self: Any,
        name: str,
        description: str,
        value: str,
        parameter_type: str,
        allowed_pattern: str,
        *arguments: Any,
        **named: Any,
    ) -> Any:
        from moto.core.exceptions import JsonRESTError

        pattern = allowed_pattern  # None where there is none
        if pattern:
            try:
                is_met = patterns.matches(pattern, str(value))
            except patterns.PatternTimeout:
                is_met = True
            except patterns.PatternError as error:
                raise JsonRESTError(
                    "InvalidAllowedPatternException",
                    f"The allowed pattern is no regular expression: {error}",
                ) from error
            if not is_met:
                raise JsonRESTError(
                    "ParameterPatternMismatchException",
                    "Parameter value, cannot be validated against allowedPattern: " + pattern,
                )
        return put_in_moto(
            self,
            name,
            description,
            value,
            parameter_type,
            allowed_pattern,
            *arguments,
            **named,
        )

    SimpleSystemManagerBackend.put_parameter = put_parameter  # type: ignore[method-assign]
