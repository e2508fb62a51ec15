"""Buckets. What is stored and how often it is asked for depends on use.

Storage of a bucket that exists is on its owner's bill; what this cluster asks of it, and what it
exports to it, is not known before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, Pricing
from clusterwright.platforms.derived_names import has_scripts

STORAGE = Item("s3", "Standard storage (first tier)", "GB-month")
REQUESTS = Item("s3", "PUT/COPY/POST/LIST", "1000 requests")
READS = Item("s3", "GET and all other requests", "1000 requests")
NONCURRENT = Item("s3", "noncurrent versions", "GB-month")
"""Charged as what is current: a version is an object."""

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
    scripts = ["lifecycle scripts"] if has_scripts(pricing.cluster) else []
    if names or scripts:
        where = ", ".join([*names, *scripts])
        yield pricing.used("objects", f"S3 storage: {where}", STORAGE, path=("storage",))
    if names or scripts or repositories or general:
        yield pricing.used(
            "objects", "S3 requests: PUT, COPY, POST, LIST", REQUESTS, path=("storage",)
        )
        yield pricing.used("objects", "S3 requests: GET and others", READS, path=("storage",))
    yield from _lifecycle(pricing)
    if directory:
        path = ("storage", "buckets", directory[0][0])
        named = ", ".join(bucket.name for _, bucket in directory)
        yield pricing.used("objects", f"S3 Express storage: {named}", EXPRESS_STORAGE, path=path)
        yield pricing.used("objects", "S3 Express requests", EXPRESS_REQUESTS, path=path)


def _lifecycle(pricing: Pricing) -> Iterator[Line]:
    """Old versions in the buckets that are built, which are versioned, until they expire.

    No rule of theirs moves anything to another storage class, so no transition is charged; what
    FSx exports is written to S3 Standard (FSx for Lustre guide, exporting changes).
    """
    storage = pricing.cluster.storage
    days = {b.name: b.expire_noncurrent_days for b in storage.buckets if not b.directory}
    built = {b.name for b in storage.buckets if b.create and not b.directory} | {
        repository.s3[5:].split("/")[0]
        for fs in storage.lustre
        for repository in fs.repositories
        if repository.create
    }
    if built:
        until = [
            f"{name}: {f'deleted after {days[name]} days' if days.get(name) else 'kept for ever'}"
            for name in sorted(built)
        ]
        line = pricing.used(
            "objects",
            f"S3 old versions: {', '.join(sorted(built))}",
            NONCURRENT,
            path=("storage",),
            charged_as=STORAGE,
        )
        yield replace(line, note="; ".join(part for part in (line.note, *until) if part))
