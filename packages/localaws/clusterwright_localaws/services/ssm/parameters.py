"""Names of parameters that Parameter Store refuses; moto answers the others.

https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto

MAXIMUM_LEVELS: Final = 15
_PATH: Final = re.compile(r"(/[A-Za-z0-9_.-]+)+")


@operation("ssm", "GetParameter")
def get_parameter(call: Call) -> Mapping[str, Any]:
    name = str(call.parameters["Name"])
    plain = name.partition(":")[0]
    if "/" in plain and not _PATH.fullmatch(plain):
        raise AwsError(
            "ValidationException",
            'Parameter name: can\'t be prefixed with "ssm" (case-insensitive). If formed as a '
            "path, it can consist of sub-paths divided by slash symbol; each sub-path can be "
            "formed as a mix of letters, numbers and the following 3 symbols .-_",
        )
    raise ForwardToMoto


@operation("ssm", "PutParameter")
def put_parameter(call: Call) -> Mapping[str, Any]:
    if len(str(call.parameters["Name"]).strip("/").split("/")) > MAXIMUM_LEVELS:
        raise AwsError(
            "HierarchyLevelLimitExceededException",
            f"A hierarchy can have a maximum of {MAXIMUM_LEVELS} levels.",
        )
    raise ForwardToMoto
