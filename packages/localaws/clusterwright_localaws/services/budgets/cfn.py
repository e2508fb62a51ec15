"""Budgets and their subscribers."""

from __future__ import annotations

import datetime as dt
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import changed, pick

_BUDGET = (
    "AutoAdjustData",
    "BudgetLimit",
    "BudgetName",
    "BudgetType",
    "CostFilters",
    "CostTypes",
    "FilterExpression",
    "Metrics",
    "PlannedBudgetLimits",
    "TimeUnit",
)


class Budget(Handler):
    type_name = "AWS::Budgets::Budget"

    def create(self, ctx: Context, properties: Properties) -> Created:
        budget = _budget(ctx, properties["Budget"], ctx.generated_name(max_length=100))
        tags = ctx.tags(properties.get("ResourceTags"))
        ctx.client("budgets").create_budget(
            AccountId=ctx.account,
            Budget=budget,
            **pick(properties, "NotificationsWithSubscribers"),
            **({"ResourceTags": tags} if tags else {}),
        )
        name = budget["BudgetName"]
        return Created(name, {"Id": name})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        if changed(old, new, "Budget"):
            ctx.client("budgets").update_budget(
                AccountId=ctx.account, NewBudget=_budget(ctx, new["Budget"], physical_id)
            )
        return Created(physical_id, {"Id": physical_id})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("budgets").delete_budget(AccountId=ctx.account, BudgetName=physical_id)


def _budget(ctx: Context, properties: Properties, name: str) -> dict[str, Any]:
    out: dict[str, Any] = {"BudgetName": name, **pick(properties, *_BUDGET)}
    for key in ("BudgetLimit",):
        if key in out:
            out[key] = {"Amount": str(out[key]["Amount"]), "Unit": out[key]["Unit"]}
    if "TimePeriod" in properties:
        out["TimePeriod"] = {
            key: _moment(value) for key, value in properties["TimePeriod"].items()
        }
    return out


def _moment(text: str) -> dt.datetime:
    """Return a time in the format of the documentation: ``2017-06-01_00:00`` or in seconds."""
    for form in ("%Y-%m-%d_%H:%M", "%m/%d/%y %H:%M UTC"):
        try:
            return dt.datetime.strptime(text, form).replace(tzinfo=dt.UTC)
        except ValueError:
            continue
    try:
        if text.isdigit():
            return dt.datetime.fromtimestamp(int(text), dt.UTC)
        found = dt.datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise HandlerFailure(f"{text} is not a time", "InvalidRequest") from None
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)
