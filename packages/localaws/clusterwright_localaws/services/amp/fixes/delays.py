"""moto's Prometheus workspaces are active at once and deleted at once.

https://docs.aws.amazon.com/prometheus/latest/APIReference/API_WorkspaceStatus.html
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timers import timers

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "Managed Prometheus: workspaces are CREATING before they are ACTIVE, and DELETING before they "
    "are deleted; changes in between are refused with ConflictException"
)


def apply() -> None:
    from moto.amp.models import PrometheusServiceBackend

    create_in_moto = PrometheusServiceBackend.create_workspace
    alias_in_moto = PrometheusServiceBackend.update_workspace_alias
    delete_in_moto = PrometheusServiceBackend.delete_workspace

    def create_workspace(self: Any, *arguments: Any, **named: Any) -> Any:
        workspace = create_in_moto(self, *arguments, **named)
        if runtime().active:
            workspace.status = {"statusCode": "CREATING"}
            timers().after(
                runtime().world.delays.workspace, lambda: _settle(workspace, "CREATING")
            )
        return workspace

    def update_workspace_alias(self: Any, alias: str, workspace_id: str) -> None:
        if runtime().active:
            _refuse_busy(self.describe_workspace(workspace_id))
        alias_in_moto(self, alias, workspace_id)

    def delete_workspace(self: Any, workspace_id: str) -> None:
        if not runtime().active:
            delete_in_moto(self, workspace_id)
            return
        workspace = self.describe_workspace(workspace_id)
        _refuse_busy(workspace)
        workspace.status = {"statusCode": "DELETING"}
        timers().after(
            runtime().world.delays.workspace, lambda: delete_in_moto(self, workspace_id)
        )

    PrometheusServiceBackend.create_workspace = create_workspace  # type: ignore[method-assign]
    PrometheusServiceBackend.update_workspace_alias = (  # type: ignore[method-assign]
        update_workspace_alias
    )
    PrometheusServiceBackend.delete_workspace = delete_workspace  # type: ignore[method-assign]


def _settle(workspace: Any, state: str) -> None:
    if workspace.status["statusCode"] == state:
        workspace.status = {"statusCode": "ACTIVE"}


def _refuse_busy(workspace: Any) -> None:
    state = workspace.status["statusCode"]
    if state != "ACTIVE":
        from moto.core.exceptions import JsonRESTError

        error = JsonRESTError("ConflictException", "")
        error.code = 409
        error.description = json.dumps(
            {
                "message": f"Workspace {workspace.workspace_id} is in state {state}",
                "resourceId": workspace.workspace_id,
                "resourceType": "AWS::APS::Workspace",
            }
        )
        raise error
