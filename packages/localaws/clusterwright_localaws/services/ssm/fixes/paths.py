"""moto lists parameters by a path without a slash at its begin.

https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SSM: GetParametersByPath refuses a path that does not begin with a slash"
REPRODUCTION = """\
ssm = boto3.client("ssm")
try:
    ssm.get_parameters_by_path(Path="path")
except ssm.exceptions.ClientError as error:
    assert error.response["Error"]["Code"] == "ValidationException"
else:
    raise AssertionError("the path is accepted")
"""


def apply() -> None:
    from moto.ssm.exceptions import ValidationException
    from moto.ssm.responses import SimpleSystemManagerResponse

    list_in_moto = SimpleSystemManagerResponse.get_parameters_by_path

    def get_parameters_by_path(self: Any) -> Any:
        if runtime().active and not str(self._get_param("Path")).startswith("/"):
            raise ValidationException(
                'The parameter name must begin with a forward slash "/". All sub-paths, if '
                'specified, must use the forward slash symbol "/".'
            )
        return list_in_moto(self)

    SimpleSystemManagerResponse.get_parameters_by_path = (  # type: ignore[method-assign]
        get_parameters_by_path
    )
