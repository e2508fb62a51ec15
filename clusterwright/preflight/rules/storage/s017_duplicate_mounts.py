"""Data is mounted once, and exported to a bucket by one file system."""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class DuplicateMounts(Rule[None]):
    id = "CW-S017"
    prevents = (
        "two mounts of one file system, which break locks and clean-up, or two file systems that "
        "overwrite each other's objects"
    )
    source = (
        "AWS documentation, FSx for Lustre, linking to a bucket: each association has a separate "
        "bucket or prefix"
    )

    def subjects(self, context: Context) -> Subjects[None]:
        storage = context.cluster.storage
        if storage.lustre or storage.home or storage.buckets:
            yield ("storage",), None

    def check(self, context: Context) -> Results:
        yield from _file_systems(context.cluster)
        yield from _exports(context.cluster)
        yield from _buckets(context.cluster)


def _file_systems(cluster: Cluster) -> Results:
    named: list[tuple[Path, str]] = []
    for index, fs in enumerate(cluster.storage.lustre):
        if fs.existing is not None:
            named.append((("storage", "lustre", index, "existing", "id"), fs.existing.id))
    home = cluster.storage.home
    if home is not None and home.existing is not None:
        path: Path = ("storage", "home", "existing", "dns_name")
        named.append((path, home.existing.dns_name.partition(".")[0]))
    first: dict[str, Path] = {}
    for path, identity in named:
        if identity in first:
            yield Fail(
                message=f"{identity} is mounted twice",
                path=path,
                hint="mount it once and use subfolders",
            )
        first.setdefault(identity, path)


def _exports(cluster: Cluster) -> Results:
    """Exports of different file systems; within one, the spec refuses overlaps."""
    links = [
        (("storage", "lustre", i, "repositories", j, "s3"), i, _prefix(r.s3), r.export_events)
        for i, fs in enumerate(cluster.storage.lustre)
        for j, r in enumerate(fs.repositories)
    ]
    for number, (path, index, prefix, exports) in enumerate(links):
        for _, other_index, other, other_exports in links[:number]:
            if index == other_index or not (prefix.startswith(other) or other.startswith(prefix)):
                continue
            if exports and other_exports:
                yield Fail(
                    message=f"two file systems export to s3://{prefix.rstrip('/')}: each "
                    "overwrites the other's objects",
                    path=path,
                    hint="give each file system a separate prefix",
                )


def _buckets(cluster: Cluster) -> Results:
    exported = {
        r.s3.removeprefix("s3://").partition("/")[0]
        for fs in cluster.storage.lustre
        for r in fs.repositories
    }
    for index, bucket in enumerate(cluster.storage.buckets):
        if bucket.mount_path is not None and not bucket.directory and bucket.name in exported:
            yield Fail(
                message=f"{bucket.name} is mounted at {bucket.mount_path} and linked to a file "
                "system: jobs see its objects twice, and the two may differ",
                path=("storage", "buckets", index, "mount_path"),
                severity="warning",
            )


def _prefix(uri: str) -> str:
    return uri.removeprefix("s3://").rstrip("/") + "/"
