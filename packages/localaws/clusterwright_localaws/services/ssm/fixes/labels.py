"""moto accepts labels that begin with "AWS" or "SSM" in capital letters.

https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_LabelParameterVersion.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SSM: labels that begin with aws or ssm in any case are invalid"
REPRODUCTION = """\
ssm = boto3.client("ssm")
ssm.put_parameter(Name="name", Value="value", Type="String")
answer = ssm.label_parameter_version(Name="name", Labels=["AWS-one"])
assert answer["InvalidLabels"] == ["AWS-one"]
"""


def apply() -> None:
    from moto.ssm.models import SimpleSystemManagerBackend

    label_in_moto = SimpleSystemManagerBackend.label_parameter_version

    def label_parameter_version(
        self: Any, name: str, version: int, labels: list[str]
    ) -> tuple[list[str], int]:
        reserved = [one for one in labels if one.lower().startswith(("aws", "ssm"))]
        rest = [one for one in labels if one not in reserved]
        invalid, labelled = label_in_moto(self, name, version, rest)
        return [one for one in labels if one in {*reserved, *invalid}], labelled

    SimpleSystemManagerBackend.label_parameter_version = (  # type: ignore[method-assign]
        label_parameter_version
    )
