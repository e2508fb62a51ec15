"""Buckets. What is stored and how often it is asked for depends on use.

Storage of a bucket that exists is on its owner's bill; what this cluster asks of it, and what it
exports to it, is not known before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.pricing import Item, Pricing

STORAGE = Item("s3", "Standard storage (first tier)", "GB-month")
REQUESTS = Item("s3", "PUT/COPY/POST/LIST", "1000 requests")
EXPRESS_STORAGE = Item("s3_express", "storage", "GB-month")
EXPRESS_REQUESTS = Item("s3_express", "PUT/COPY/POST/LIST", "1000 requests")


def lines(pricing: Pricing) -> Iterator[Line]:
    """What is stored and what is requested, of all buckets together; directory buckets apart."""
    storage = pricing.cluster.storage
    repositories = [
        (("storage", "lustre", i, "repositories", j), repository)
        for i, fs in enumerate(storage.lustre)
        for j, repository in enumerate(fs.repositories)
    ]
    general = [(i, b) for i, b in enumerate(storage.buckets) if not b.directory]
    directory = [(i, b) for i, b in enumerate(storage.buckets) if b.directory]
    names = sorted(
        {r.s3[5:].split("/")[0] for _, r in repositories if r.create or r.export_events}
        | {b.name for _, b in general if b.create}
    )
    where = ", ".join([*names, "lifecycle scripts"])
    yield pricing.used("objects", f"S3 storage: {where}", STORAGE, path=("storage",))
    yield pricing.used("objects", "S3 requests", REQUESTS, path=("storage",))
    if directory:
        path = ("storage", "buckets", directory[0][0])
        named = ", ".join(bucket.name for _, bucket in directory)
        yield pricing.used("objects", f"S3 Express storage: {named}", EXPRESS_STORAGE, path=path)
        yield pricing.used("objects", "S3 Express requests", EXPRESS_REQUESTS, path=path)
