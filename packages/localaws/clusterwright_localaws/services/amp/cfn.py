"""Workspaces, rules and scrapers of Amazon Managed Service for Prometheus."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
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
    settle,
)


class Workspace(Handler):
    type_name = "AWS::APS::Workspace"
    supported_properties = frozenset(
        {"AlertManagerDefinition", "Alias", "KmsKeyArn", "LoggingConfiguration", "Tags"}
    )

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
        created = self._active(ctx, workspace["arn"])
        self._alert_manager(ctx, workspace["arn"], {}, properties)
        return created

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
        self._alert_manager(ctx, physical_id, old, new)
        retag(ctx, "amp", old, new, resourceArn=physical_id)
        return self._active(ctx, physical_id)

    def _alert_manager(self, ctx: Context, arn: str, old: Properties, new: Properties) -> None:
        """Bring the alert manager's definition from one text to another.

        A definition that a failed change left behind is replaced.
        """
        if not changed(old, new, "AlertManagerDefinition"):
            return
        amp, workspace = ctx.client("amp"), _id(arn)
        what = f"the alert manager definition of {workspace}"
        text = new.get("AlertManagerDefinition")

        def status() -> str:
            return str(_alert_manager(ctx, arn)["statusCode"])

        if text is None:
            delete_settled(
                ctx,
                status,
                lambda: amp.delete_alert_manager_definition(workspaceId=workspace),
                what,
            )
            return
        settle(ctx, status, what)
        asked = {"workspaceId": workspace, "data": text.encode()}
        try:
            amp.put_alert_manager_definition(**asked)
        except amp.exceptions.ResourceNotFoundException:
            amp.create_alert_manager_definition(**asked)
        ready(
            ctx,
            lambda: _alert_manager(ctx, arn),
            what,
            status="statusCode",
            failure=_failure(what),
        )

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


class RuleGroupsNamespace(Handler):
    type_name = "AWS::APS::RuleGroupsNamespace"

    def create(self, ctx: Context, properties: Properties) -> Created:
        arn = ctx.client("amp").create_rule_groups_namespace(
            workspaceId=_id(properties["Workspace"]),
            name=properties["Name"],
            data=properties["Data"].encode(),
            **ctx.tagging(properties, "tags", as_map=True),
        )["arn"]
        ctx.identify(arn)
        return self._active(ctx, arn)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        if changed(old, new, "Data"):
            settle(
                ctx, lambda: str(_namespace(ctx, physical_id)["statusCode"]), _what(physical_id)
            )
            ctx.client("amp").put_rule_groups_namespace(
                **_named(physical_id), data=new["Data"].encode()
            )
        retag(ctx, "amp", old, new, resourceArn=physical_id)
        return self._active(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        amp = ctx.client("amp")

        delete_settled(
            ctx,
            lambda: str(_namespace(ctx, physical_id)["statusCode"]),
            lambda: amp.delete_rule_groups_namespace(**_named(physical_id)),
            _what(physical_id),
        )

    def _active(self, ctx: Context, arn: str) -> Created:
        what = _what(arn)
        ready(ctx, lambda: _namespace(ctx, arn), what, status="statusCode", failure=_failure(what))
        return Created(arn, {"Arn": arn})


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


def _alert_manager(ctx: Context, arn: str) -> dict[str, Any]:
    amp = ctx.client("amp")
    found = amp.describe_alert_manager_definition(workspaceId=_id(arn))["alertManagerDefinition"]
    return {**found, **found["status"]}


def _namespace(ctx: Context, arn: str) -> dict[str, Any]:
    amp = ctx.client("amp")
    found = amp.describe_rule_groups_namespace(**_named(arn))["ruleGroupsNamespace"]
    return {**found, **found["status"]}


def _named(arn: str) -> dict[str, str]:
    """The parameters that name a rule groups namespace, from its ARN."""
    workspace, _, name = arn.partition(":rulegroupsnamespace/")[2].partition("/")
    return {"workspaceId": workspace, "name": name}


def _what(arn: str) -> str:
    return f"the rule groups namespace {_named(arn)['name']}"


def _failure(what: str) -> Callable[[Mapping[str, Any]], str | None]:
    """How a description says why a change failed."""

    def failure(found: Mapping[str, Any]) -> str | None:
        reason = found.get("statusReason")
        return f"{what} is {found['statusCode']}: {reason}" if reason else None

    return failure


def _scraper(ctx: Context, arn: str) -> dict[str, Any]:
    found = ctx.client("amp").describe_scraper(scraperId=_id(arn))["scraper"]
    return {**found, **found["status"]}


def _id(arn: str) -> str:
    return arn.rsplit("/", 1)[-1]
