"""moto runs Lambda functions in Docker; the local AWS stores them and runs none."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Lambda: functions are stored but never run; Invoke answers with the function error NotRun"
)

_WHY = "the local AWS stores Lambda functions and does not run them"


def apply() -> None:
    from moto.awslambda.models import LambdaFunction

    invoke_in_moto = LambdaFunction._invoke_lambda
    if invoke_in_moto.__module__ == __name__:
        return  # another service has applied it already

    def _invoke_lambda(self: Any, event: str | None = None) -> tuple[str, bool, str]:
        if not runtime().active:
            return invoke_in_moto(self, event)
        return json.dumps({"errorMessage": _WHY, "errorType": "NotRun"}), True, _WHY

    LambdaFunction._invoke_lambda = _invoke_lambda  # type: ignore[method-assign]
