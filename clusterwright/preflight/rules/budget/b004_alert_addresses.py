"""Somebody is told when the month's money runs out, or a file system fills up."""

from __future__ import annotations

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects


class SomebodyIsTold(Rule[tuple[str, tuple[str, ...]]]):
    id = "CW-B004"
    title = "Alerts reach somebody, and each address once"
    severity = "warning"
    scope = "offline"
    prevents = (
        "a budget that is passed in silence; CreateBudget fails where an address is there twice"
    )
    source = "AWS Budgets API, CreateBudget: DuplicateRecordException; SNS, e-mail subscriptions"

    def subjects(self, context: Context) -> Subjects[tuple[str, tuple[str, ...]]]:
        cluster = context.cluster
        if cluster.budget is not None and cluster.budget.monthly_usd is not None:
            path: Path = ("budget", "alert_emails")
            yield Subject(path, ("the month's budget", tuple(cluster.budget.alert_emails)))
        if cluster.observability.alarm_emails:
            emails = tuple(cluster.observability.alarm_emails)
            yield Subject(("observability", "alarm_emails"), ("alarms", emails))

    def check(self, alert: tuple[str, tuple[str, ...]], path: Path) -> Results:
        what, emails = alert
        if not emails:
            yield Fail(
                message=f"nobody is told of {what}",
                path=path[:-1],
                hint="budget: {alert_emails: [...]}",
            )
        seen: set[str] = set()
        for index, email in enumerate(emails):
            if email.lower() in seen:
                yield Fail(
                    message=f"{email} is told of {what} twice",
                    path=(*path, index),
                    severity="error",
                )
            seen.add(email.lower())


RULE = SomebodyIsTold()
