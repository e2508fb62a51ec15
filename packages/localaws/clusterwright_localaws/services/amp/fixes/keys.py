"""moto does not keep the KMS key of a Prometheus workspace, which its description contains.

https://docs.aws.amazon.com/prometheus/latest/APIReference/API_WorkspaceDescription.html
"""

from __future__ import annotations

import json
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Managed Prometheus: a workspace keeps the KMS key that it is created with, and returns it"
)
REPRODUCTION = """\
amp = boto3.client("amp")
key = boto3.client("kms").create_key()["KeyMetadata"]["Arn"]
workspace = amp.create_workspace(kmsKeyArn=key)["workspaceId"]
found = amp.describe_workspace(workspaceId=workspace)["workspace"]
assert found.get("kmsKeyArn") == key
"""


def apply() -> None:
    from moto.amp.models import Workspace
    from moto.amp.responses import PrometheusServiceResponse

    create_in_moto = PrometheusServiceResponse.create_workspace
    view_in_moto = Workspace.to_dict

    def create_workspace(self: Any) -> str:
        answer = create_in_moto(self)
        key_arn = json.loads(self.body).get("kmsKeyArn")
        if key_arn:
            made = json.loads(answer)
            self.amp_backend.workspaces[made["workspaceId"]].kms_key_arn = key_arn
            answer = json.dumps({**made, "kmsKeyArn": key_arn})
        return answer

    def to_dict(self: Any) -> dict[str, Any]:
        key_arn = getattr(self, "kms_key_arn", None)
        return {**view_in_moto(self), **({"kmsKeyArn": key_arn} if key_arn else {})}

    PrometheusServiceResponse.create_workspace = create_workspace  # type: ignore[method-assign]
    Workspace.to_dict = to_dict  # type: ignore[method-assign]
