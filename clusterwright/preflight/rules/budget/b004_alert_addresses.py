"""Budget and alarm notifications have recipients, each listed once."""

from __future__ import annotations

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class AlertAddresses(Rule[tuple[str, tuple[str, ...]]]):
    id = "CW-B004"
    severity = "warning"
    prevents = (
        "a budget that is exceeded without notice; CreateBudget fails if an address is "
        "listed twice"
    )
    source = "AWS Budgets API, CreateBudget: DuplicateRecordException; SNS, e-mail subscriptions"

    def subjects(self, context: Context) -> Subjects[tuple[str, tuple[str, ...]]]:
        cluster = context.cluster
        if cluster.budget is not None and cluster.budget.monthly_usd is not None:
            path: Path = ("budget", "alert_emails")
            yield path, ("the monthly budget", tuple(cluster.budget.alert_emails))
        if cluster.observability.alarm_emails:
            emails = tuple(cluster.observability.alarm_emails)
            yield ("observability", "alarm_emails"), ("the alarm list", emails)

    def check(self, recipients: tuple[str, tuple[str, ...]], path: Path) -> Results:
        what, emails = recipients
        if not emails:
            yield Fail(
                message=f"{what} has no recipients",
                path=path[:-1],
                hint="budget: {alert_emails: [...]}",
            )
        seen: set[str] = set()
        for index, email in enumerate(emails):
            if email.lower() in seen:
                yield Fail(
                    message=f"{email} is listed twice for {what}",
                    path=(*path, index),
                    severity="error",
                )
            seen.add(email.lower())
