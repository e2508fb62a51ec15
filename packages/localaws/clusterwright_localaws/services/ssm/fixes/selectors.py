"""moto finds a parameter by version or label, and does not answer what selected it.

https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_Parameter.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SSM: a parameter that was asked for by version or label has its Selector"
REPRODUCTION = """\
ssm = boto3.client("ssm", region_name="us-east-1")
ssm.put_parameter(Name="name", Value="value", Type="String")
found = ssm.get_parameter(Name="name:1")["Parameter"]
assert found.get("Selector") == ":1", found
"""


def apply() -> None:
    from moto.ssm.responses import SimpleSystemManagerResponse

    get_parameter = SimpleSystemManagerResponse.get_parameter
    get_parameters = SimpleSystemManagerResponse.get_parameters

    def _get_parameter(self: Any) -> Any:
        answer = get_parameter(self)
        _select([self._get_param("Name")], [answer.result["Parameter"]])  # type: ignore[index]
        return answer

    def _get_parameters(self: Any) -> Any:
        answer = get_parameters(self)
        _select(self._get_param("Names"), answer.result["Parameters"])  # type: ignore[index]
        return answer

    SimpleSystemManagerResponse.get_parameter = _get_parameter  # type: ignore[method-assign]
    SimpleSystemManagerResponse.get_parameters = _get_parameters  # type: ignore[method-assign]


def _select(names: list[str], parameters: list[dict[str, Any]]) -> None:
    for name in names:
        plain, selector = _split(name)
        for parameter in parameters:
            if selector and plain in (parameter["Name"], parameter.get("ARN")):
                parameter["Selector"] = selector


def _split(name: str) -> tuple[str, str]:
    """Return a name or ARN without its selector, and the selector with its colon."""
    colons = 6 if name.startswith("arn:") else 1
    parts = name.split(":")
    if len(parts) <= colons:
        return name, ""
    return ":".join(parts[:colons]), f":{parts[colons]}"
