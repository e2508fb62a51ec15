"""Logs, alarms, and the managed Prometheus workspace."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.pricing import Item, Pricing
from clusterwright.spec.problems import Path

LOG_INGESTION = Item("logs", "ingestion", "GB")
LOG_STORAGE = Item("logs", "storage", "GB-month")
ALARM = Item("cloudwatch", "alarm", "alarm-month")
SAMPLES = Item("amp", "ingestion first 2B samples/month", "10M samples")
SAMPLE_STORAGE = Item("amp", "storage", "GB-month")
QUERIES = Item("amp", "query samples processed", "1B samples")


def lines(pricing: Pricing) -> Iterator[Line]:
    """Logs of nodes, file systems and the network; alarms where somebody is told."""
    here: Path = ("observability",)
    cluster = pricing.cluster
    yield pricing.used("observability", "CloudWatch logs: ingestion", LOG_INGESTION, path=here)
    yield pricing.used(
        "observability",
        "CloudWatch logs: storage",
        LOG_STORAGE,
        path=(*here, "log_retention_days"),
    )
    if cluster.observability.alarm_emails:
        built = [fs for fs in cluster.storage.lustre if fs.existing is None]
        watched = len(built) + int(
            cluster.slurm.accounting.kind == "rds" and cluster.slurm.accounting.existing is None
        )
        if watched:
            yield pricing.line(
                "observability",
                "CloudWatch alarms",
                watched,
                ALARM,
                path=(*here, "alarm_emails"),
                note="at least one for each file system and database",
            )
    if cluster.observability.prometheus:
        path = (*here, "prometheus")
        yield pricing.used("observability", "Prometheus: samples", SAMPLES, path=path)
        yield pricing.used("observability", "Prometheus: storage", SAMPLE_STORAGE, path=path)
        yield pricing.used("observability", "Prometheus: queries", QUERIES, path=path)
