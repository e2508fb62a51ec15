"""Logs, alarms, budgets, functions of deployments, and the managed Prometheus workspace."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.problems import Path
from clusterwright.cluster_spec.validation.metrics import collected
from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder

LOG_INGESTION = Item("logs", "ingestion", "GB")
LOG_STORAGE = Item("logs", "storage", "GB-month")
ALARM = Item("cloudwatch", "alarm", "alarm-month")
NOTIFICATIONS = Item("sns", "email notifications", "100000 notifications")
BUDGET = Item("budgets", "budget", "budget-month")
FUNCTIONS = Item("lambda", "compute", "GB-second")
SAMPLES = Item("amp", "ingestion first 2B samples/month", "10M samples")
SAMPLE_STORAGE = Item("amp", "storage", "GB-month")
COLLECTOR = Item("amp", "agentless collector", "collector-hour")
GRAFANA_EDITORS = Item("amg", "editor/admin user", "user-month")
GRAFANA_VIEWERS = Item("amg", "viewer user", "user-month")
QUERIES = Item("amp", "query samples processed", "1B samples")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """Logs of nodes, file systems and the network; alarms; budgets."""
    here: Path = ("observability",)
    cluster = builder.cluster
    yield builder.used("observability", "CloudWatch logs: ingestion", LOG_INGESTION, path=here)
    yield builder.used(
        "observability",
        "CloudWatch logs: storage",
        LOG_STORAGE,
        path=(*here, "log_retention_days"),
    )
    watched = alarm_count(cluster)
    if watched:
        yield builder.line("observability", "CloudWatch alarms", watched, ALARM, path=here)
    yield builder.used(
        "observability", "notifications by mail", NOTIFICATIONS, path=(*here, "alarm_emails")
    )
    if cluster.budget is not None and cluster.budget.monthly_usd is not None:
        limit: Path = ("budget", "monthly_usd")
        yield builder.line("observability", "budget with alarms", 1, BUDGET, path=limit)
    yield builder.used("observability", "functions that run at deployments", FUNCTIONS, path=())
    if cluster.observability.prometheus:
        path = (*here, "prometheus")
        yield builder.used("observability", "Prometheus: samples", SAMPLES, path=path)
        yield builder.used("observability", "Prometheus: storage", SAMPLE_STORAGE, path=path)
        yield builder.used("observability", "Prometheus: queries", QUERIES, path=path)
        if collected(cluster):
            yield builder.line(
                "observability", "Prometheus: AWS's collector", 1, COLLECTOR, path=path, per="hour"
            )
    if cluster.observability.grafana is not None:
        path = (*here, "grafana")
        yield builder.used("observability", "Grafana: editors", GRAFANA_EDITORS, path=path)
        yield builder.used("observability", "Grafana: viewers", GRAFANA_VIEWERS, path=path)


def alarm_count(cluster: Cluster) -> int:
    """One alarm for each created file system and database with a limited capacity."""
    lustre = [fs for fs in cluster.storage.lustre if fs.existing is None and fs.capacity_gib]
    home = cluster.storage.home is not None and cluster.storage.home.existing is None
    accounting = cluster.slurm.accounting
    database = accounting.kind == "rds" and accounting.existing is None
    return len(lustre) + home + database
