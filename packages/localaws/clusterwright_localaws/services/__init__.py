"""What moto lacks: our own implementations, one package per service, loaded at the first call.

`OWN` says where a service's operations are registered (see `clusterwright_localaws.call`), and
`clusterwright_localaws.patches.PATCHES` which of moto's bugs are mended before it is used.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# boto3's name of the service -> modules that register operations when they are imported.
OWN: dict[str, tuple[str, ...]] = {
    "amp": (
        "clusterwright_localaws.services.amp_rules",
        "clusterwright_localaws.services.amp_scrapers",
    ),
    "secretsmanager": ("clusterwright_localaws.services.secrets_names",),
    "budgets": (
        "clusterwright_localaws.services.budgets_notifications",
        "clusterwright_localaws.services.budgets_tags",
        "clusterwright_localaws.services.budgets_update",
    ),
    "ce": ("clusterwright_localaws.services.cost_explorer",),
    "cloudformation": ("clusterwright_localaws.cloudformation.api",),
    "cloudwatch": (
        "clusterwright_localaws.services.cloudwatch_alarms",
        "clusterwright_localaws.services.service_quotas.usage_metrics",
    ),
    "ec2": ("clusterwright_localaws.services.ec2",),
    "eks": ("clusterwright_localaws.services.eks",),
    "fsx": ("clusterwright_localaws.services.fsx",),
    "iam": ("clusterwright_localaws.services.iam",),
    "grafana": ("clusterwright_localaws.services.grafana",),
    "logs": (
        "clusterwright_localaws.services.logs_keys",
        "clusterwright_localaws.services.logs_retention",
    ),
    "organizations": ("clusterwright_localaws.services.organizations_policies",),
    "pricing": ("clusterwright_localaws.services.pricing",),
    "rds": (
        "clusterwright_localaws.services.rds_clusters",
        "clusterwright_localaws.services.rds_parameters",
    ),
    "service-quotas": ("clusterwright_localaws.services.service_quotas",),
    "sagemaker": ("clusterwright_localaws.services.sagemaker",),
    "sts": ("clusterwright_localaws.services.sts",),
}

# Services of which nothing is left to moto: its state and ours would not know each other.
WHOLE = frozenset({"cloudformation", "eks", "fsx", "grafana", "pricing", "service-quotas"})

_lock = threading.RLock()
_prepared: set[str] = set()


def prepare(service: str) -> None:
    """Load and mend everything that `service` needs; cheap after the first time."""
    if service in _prepared:
        return
    with _lock:
        if service in _prepared:
            return
        from clusterwright_localaws.patches import apply

        for module in OWN.get(service, ()):
            importlib.import_module(module)
        apply(service)
        _prepared.add(service)


@contextmanager
def importing() -> Iterator[None]:
    """Whoever imports much at once does it alone.

    Two threads that import modules which import each other would each see half of one.
    """
    with _lock:
        yield


def register(service: str, module: str) -> None:
    """Name one more module that registers operations of `service`."""
    with _lock:
        if module not in OWN.get(service, ()):
            OWN[service] = (*OWN.get(service, ()), module)
            _prepared.discard(service)
