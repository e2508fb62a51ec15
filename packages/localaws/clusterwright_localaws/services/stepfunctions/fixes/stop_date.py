"""moto does not answer when an execution that its interpreter runs was stopped.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_StopExecution.html
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Step Functions: StopExecution answers the time of the stop"


def apply() -> None:
    from moto.stepfunctions.responses import StepFunctionResponse

    stop = StepFunctionResponse.stop_execution

    def stop_execution(self: Any) -> Any:
        answer: Any = stop(self)
        if answer.result.get("stopDate") is None:
            answer.result["stopDate"] = datetime.now(UTC)
        return answer

    StepFunctionResponse.stop_execution = stop_execution  # type: ignore[method-assign]
