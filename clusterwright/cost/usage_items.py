"""Items that are charged by use, for which a user may state a monthly quantity."""

from __future__ import annotations

from typing import Final

from clusterwright.cost.components import (
    accounting,
    home,
    identity,
    images,
    lustre,
    network,
    objects,
    observability,
    parallelcluster,
    pcs,
)
from clusterwright.cost.line_builder import Item

USAGE_ITEMS: Final[dict[str, Item]] = {
    item.key: item
    for item in (
        lustre.TIERING_STORAGE,
        lustre.TIERING_REQUESTS,
        lustre.BACKUPS,
        home.BACKUPS,
        objects.STORAGE,
        objects.REQUESTS,
        objects.READS,
        objects.NONCURRENT,
        objects.EXPRESS_STORAGE,
        objects.EXPRESS_REQUESTS,
        images.STORAGE,
        parallelcluster.SHARED_STORAGE,
        parallelcluster.LOAD_BALANCER_USE,
        parallelcluster.TABLE_USE,
        pcs.ACCOUNTING_STORAGE,
        network.NAT_DATA,
        network.ENDPOINT_DATA,
        network.BETWEEN_ZONES,
        accounting.BACKUPS,
        identity.REQUESTS,
        observability.LOG_INGESTION,
        observability.LOG_STORAGE,
        observability.NOTIFICATIONS,
        observability.FUNCTIONS,
        observability.SAMPLES,
        observability.SAMPLE_STORAGE,
        observability.QUERIES,
    )
}
