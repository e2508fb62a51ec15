"""Names, sizes and tiers of parameters that Parameter Store refuses; moto answers the others.

https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
Messages as users quote them: docs/reference/probes.md, sources `suites` and `parameter-tiers`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto

MAXIMUM_LEVELS: Final = 15
_PATH: Final = re.compile(r"(/[A-Za-z0-9_.-]+)+")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]+")
_LONGEST_ARN: Final = 1011
_STANDARD, _ADVANCED, _EITHER = "Standard", "Advanced", "Intelligent-Tiering"
_LARGEST: Final = {_STANDARD: 4096, _ADVANCED: 8192, _EITHER: 8192}
_GUIDE: Final = (
    "https://docs.aws.amazon.com/systems-manager/latest/userguide/"
    "parameter-store-advanced-parameters.html"
)


@operation("ssm", "GetParameter")
def get_parameter(call: Call) -> Mapping[str, Any]:
    name = str(call.parameters["Name"])
    plain = name.partition(":")[0]
    if "/" in plain and not _PATH.fullmatch(plain):
        raise _invalid_name()
    raise ForwardToMoto


@operation("ssm", "PutParameter")
def put_parameter(call: Call) -> Mapping[str, Any]:
    # "The service removes any spaces specified for the beginning or end of a parameter name."
    name = str(call.parameters["Name"]).strip()
    _check_name(call, name)
    if len(name.strip("/").split("/")) > MAXIMUM_LEVELS:
        raise AwsError(
            "HierarchyLevelLimitExceededException",
            f"A hierarchy can have a maximum of {MAXIMUM_LEVELS} levels.",
        )
    _check_tier(call, name)
    raise ForwardToMoto


def _check_name(call: Call, name: str) -> None:
    if len(call.arn("ssm", f"parameter/{name.lstrip('/')}")) > _LONGEST_ARN:
        # The text is ours.
        raise _invalid(f"Parameter names have at most {_LONGEST_ARN} characters with their ARN.")
    if "/" in name and not name.startswith("/"):
        raise _invalid("Parameter name must be a fully qualified name.")
    if not (_PATH if "/" in name else _PLAIN).fullmatch(name):
        raise _invalid_name()


def _check_tier(call: Call, name: str) -> None:
    request, length = call.parameters, len(str(call.parameters["Value"]))
    parameters = moto_state.backend("ssm", call.account, call.region)._parameters
    # moto's own lookup adds what is missing.
    found = dict.get(parameters, parameters.normalize_name(name)) or []
    advanced = bool(found) and found[-1].tier == _ADVANCED
    tier = request.get("Tier") or (_ADVANCED if advanced else _STANDARD)
    if advanced and tier == _STANDARD and request.get("Overwrite"):
        raise _invalid(
            "This parameter uses the advanced-parameter tier. You can't downgrade a parameter "
            "from the advanced-parameter tier to the standard-parameter tier. If necessary, you "
            "can delete the advanced parameter and recreate it as a standard parameter."
        )
    if length > _LARGEST[tier]:
        if tier != _STANDARD:
            # The text is ours.
            raise _invalid(f"A parameter value has at most {_LARGEST[tier]} characters.")
        raise _invalid(
            f"Standard tier parameters support a maximum parameter value of {_LARGEST[tier]} "
            "characters. To create a larger parameter value, upgrade the parameter to use the "
            f"advanced-parameter tier. For more information, see {_GUIDE}"
        )
    if tier == _STANDARD and _has_policies(request.get("Policies")):
        # The text is ours.
        raise _invalid("Parameter policies require the advanced-parameter tier.")


def _has_policies(text: str | None) -> bool:
    try:
        return bool(text and json.loads(text))
    except ValueError:
        return True


def _invalid_name() -> AwsError:
    return _invalid(
        'Parameter name: can\'t be prefixed with "ssm" (case-insensitive). If formed as a path, '
        "it can consist of sub-paths divided by slash symbol; each sub-path can be formed as a "
        "mix of letters, numbers and the following 3 symbols .-_"
    )


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationException", message)
