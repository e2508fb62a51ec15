"""Workspaces and scrapers of Amazon Managed Service for Prometheus."""

from __future__ import annotations

import base64
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    delete_settled,
    lower_first,
    pick,
    ready,
    retag,
)


class Workspace(Handler):
    type_name = "AWS::APS::Workspace"
    supported_properties = frozenset({"Alias", "KmsKeyArn", "LoggingConfiguration", "Tags"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        amp = ctx.client("amp")
        workspace = amp.create_workspace(
            **pick(properties, Alias="alias", KmsKeyArn="kmsKeyArn"),
            **ctx.tagging(properties, "tags", as_map=True),
        )
        ctx.identify(workspace["arn"])
        if "LoggingConfiguration" in properties:
            amp.create_logging_configuration(
                workspaceId=workspace["workspaceId"],
                logGroupArn=properties["LoggingConfiguration"]["LogGroupArn"],
            )
        return self._active(ctx, workspace["arn"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        amp = ctx.client("amp")
        workspace = _id(physical_id)
        if changed(old, new, "Alias"):
            amp.update_workspace_alias(workspaceId=workspace, **pick(new, Alias="alias"))
        if changed(old, new, "LoggingConfiguration"):
            group = new.get("LoggingConfiguration", {}).get("LogGroupArn")
            if group is None:
                amp.delete_logging_configuration(workspaceId=workspace)
            elif "LoggingConfiguration" in old:
                amp.update_logging_configuration(workspaceId=workspace, logGroupArn=group)
            else:
                amp.create_logging_configuration(workspaceId=workspace, logGroupArn=group)
        retag(ctx, "amp", old, new, resourceArn=physical_id)
        return self._active(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        amp, workspace = ctx.client("amp"), _id(physical_id)

        delete_settled(
            ctx,
            lambda: _workspace(ctx, physical_id)["statusCode"],
            lambda: amp.delete_workspace(workspaceId=workspace),
            f"the workspace {workspace}",
        )

    def _active(self, ctx: Context, arn: str) -> Created:
        found = ready(
            ctx,
            lambda: _workspace(ctx, arn),
            f"the workspace {_id(arn)}",
            status="statusCode",
        )
        return Created(
            arn,
            {
                "Arn": arn,
                "PrometheusEndpoint": found.get("prometheusEndpoint", ""),
                "WorkspaceId": _id(arn),
            },
        )


class Scraper(Handler):
    type_name = "AWS::APS::Scraper"
    # A role of another account, and logs of a collector, which collects nothing here.
    unsupported_properties = frozenset({"RoleConfiguration", "ScraperLoggingConfiguration"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        amp = ctx.client("amp")
        scraper = amp.create_scraper(
            **_asked(properties),
            source=lower_first(properties["Source"]),
            clientToken=ctx.token,
            **ctx.tagging(properties, "tags", as_map=True),
        )
        ctx.identify(scraper["arn"])
        return self._active(ctx, scraper["arn"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        amp = ctx.client("amp")
        if changed(old, new, "Alias", "ScrapeConfiguration", "Destination"):
            amp.update_scraper(scraperId=_id(physical_id), **_asked(new))
        retag(ctx, "amp", old, new, resourceArn=physical_id)
        return self._active(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        amp, scraper = ctx.client("amp"), _id(physical_id)

        delete_settled(
            ctx,
            lambda: _scraper(ctx, physical_id)["statusCode"],
            lambda: amp.delete_scraper(scraperId=scraper),
            f"the scraper {scraper}",
        )

    def _active(self, ctx: Context, arn: str) -> Created:
        found = ready(
            ctx, lambda: _scraper(ctx, arn), f"the scraper {_id(arn)}", status="statusCode"
        )
        return Created(arn, {"Arn": arn, "ScraperId": _id(arn), "RoleArn": found["roleArn"]})


def _asked(properties: Properties) -> dict[str, Any]:
    """Return the members that an update may change; the template has the configuration in
    base64.
    """
    blob = base64.b64decode(properties["ScrapeConfiguration"]["ConfigurationBlob"])
    return {
        **pick(properties, Alias="alias"),
        "scrapeConfiguration": {"configurationBlob": blob},
        "destination": lower_first(properties["Destination"]),
    }


def _workspace(ctx: Context, arn: str) -> dict[str, Any]:
    found = ctx.client("amp").describe_workspace(workspaceId=_id(arn))["workspace"]
    return {**found, **found["status"]}


def _scraper(ctx: Context, arn: str) -> dict[str, Any]:
    found = ctx.client("amp").describe_scraper(scraperId=_id(arn))["scraper"]
    return {**found, **found["status"]}


def _id(arn: str) -> str:
    return arn.rsplit("/", 1)[-1]
