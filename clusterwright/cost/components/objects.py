"""S3 buckets. Storage and requests depend on use.

Storage of existing buckets is on the bill of their owners; requests and exports of this cluster
are unknown before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder
from clusterwright.platforms.derived_names import has_scripts

STORAGE = Item("s3", "Standard storage (first tier)", "GB-month")
REQUESTS = Item("s3", "PUT/COPY/POST/LIST", "1000 requests")
READS = Item("s3", "GET and all other requests", "1000 requests")
NONCURRENT = Item("s3", "noncurrent versions", "GB-month")
"""Charged like current versions."""

EXPRESS_STORAGE = Item("s3_express", "storage", "GB-month")
EXPRESS_REQUESTS = Item("s3_express", "PUT/COPY/POST/LIST", "1000 requests")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """Storage and requests of all buckets together, and of directory buckets."""
    storage = builder.cluster.storage
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
    scripts = ["lifecycle scripts"] if has_scripts(builder.cluster) else []
    if names or scripts:
        where = ", ".join([*names, *scripts])
        yield builder.used("objects", f"S3 storage: {where}", STORAGE, path=("storage",))
    if names or scripts or repositories or general:
        yield builder.used(
            "objects", "S3 requests: PUT, COPY, POST, LIST", REQUESTS, path=("storage",)
        )
        yield builder.used("objects", "S3 requests: GET and others", READS, path=("storage",))
    yield from _lifecycle(builder)
    if directory:
        path = ("storage", "buckets", directory[0][0])
        named = ", ".join(bucket.name for _, bucket in directory)
        yield builder.used("objects", f"S3 Express storage: {named}", EXPRESS_STORAGE, path=path)
        yield builder.used("objects", "S3 Express requests", EXPRESS_REQUESTS, path=path)


def _lifecycle(builder: LineBuilder) -> Iterator[Line]:
    """Noncurrent versions in created buckets, which are versioned, until they expire.

    No lifecycle rule changes the storage class, so no transitions are charged; FSx exports to S3
    Standard (FSx for Lustre guide, exporting changes).
    """
    storage = builder.cluster.storage
    days = {b.name: b.expire_noncurrent_days for b in storage.buckets if not b.directory}
    built = {b.name for b in storage.buckets if b.create and not b.directory} | {
        repository.s3[5:].split("/")[0]
        for fs in storage.lustre
        for repository in fs.repositories
        if repository.create
    }
    if built:
        until = [
            f"{name}: "
            + (f"deleted after {days[name]} days" if days.get(name) else "kept indefinitely")
            for name in sorted(built)
        ]
        line = builder.used(
            "objects",
            f"S3 noncurrent versions: {', '.join(sorted(built))}",
            NONCURRENT,
            path=("storage",),
            charged_as=STORAGE,
        )
        yield replace(line, note="; ".join(part for part in (line.note, *until) if part))
