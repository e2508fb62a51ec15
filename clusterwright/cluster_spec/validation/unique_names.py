"""Names and mount paths: reserved values and duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem

RESERVED_MOUNT_PATHS = (
    *(f"/{name}" for name in ("bin", "boot", "dev", "etc", "lib", "lib64", "proc", "root", "run")),
    *(f"/{name}" for name in ("sbin", "sys", "tmp", "usr", "var")),
    "/opt/dlami",
    "/opt/ml",
    "/opt/sagemaker",
    "/opt/slurm",
)
"""Paths reserved by the image, HyperPod and Slurm."""

IMAGE_SCRATCH_PATH = "/opt/dlami/nvme"
"""Where HyperPod's image mounts the instance store; scratch may use it."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    if not cluster.environment[0].isalpha():
        # CloudFormation, CreateStack: a stack's name "must start with an alphabetical character".
        yield Problem(
            f"{cluster.environment} begins with a digit, and names of stacks and clusters must "
            "begin with a letter",
            ("environment",),
            hint=f"such as c{cluster.environment}",
        )
    yield from _unique(
        "group", ((("compute", i, "name"), g.name) for i, g in enumerate(cluster.compute))
    )
    yield from _unique(
        "file system",
        (
            (("storage", "lustre", i, "name"), f.name or "")
            for i, f in enumerate(cluster.storage.lustre)
        ),
    )
    yield from _unique(
        "bucket",
        (
            (("storage", "buckets", i, "name"), b.name + ("--x-s3" if b.directory else ""))
            for i, b in enumerate(cluster.storage.buckets)
        ),
    )
    yield from _unique(
        "image repository",
        (
            (("storage", "image_repositories", i, "name"), r.name)
            for i, r in enumerate(cluster.storage.image_repositories)
        ),
    )
    yield from _mount_paths(cluster)
    yield from _tags(cluster)
    yield from _waivers(cluster)
    yield from _unique(
        "allowance",
        (
            (("allow_replacement", i, "resource"), allowed.resource)
            for i, allowed in enumerate(cluster.allow_replacement)
        ),
    )


def _unique(kind: str, names: Iterable[tuple[Path, str]]) -> Iterator[Problem]:
    first: dict[str, Path] = {}
    for path, name in names:
        if name in first:
            yield Problem(f"duplicate {kind} `{name}`", path, other_path=first[name])
        first.setdefault(name, path)


def _mount_paths(cluster: Cluster) -> Iterator[Problem]:
    mounts: list[tuple[Path, str]] = [
        (("storage", "lustre", i, "mount_path"), f.mount_path)
        for i, f in enumerate(cluster.storage.lustre)
    ]
    mounts += [
        (("storage", "buckets", i, "mount_path"), b.mount_path)
        for i, b in enumerate(cluster.storage.buckets)
        if b.mount_path
    ]
    if cluster.storage.home:
        mounts.append((("storage", "home", "mount_path"), cluster.storage.home.mount_path))
    # Each group has its own instance store, so several groups may use one path.
    scratch: dict[str, Path] = {}
    for i, group in enumerate(cluster.compute):
        if group.scratch:
            scratch.setdefault(group.scratch.mount_path, ("compute", i, "scratch", "mount_path"))
    mounts += [(path, mount) for mount, path in scratch.items()]
    for index, (path, mount) in enumerate(mounts):
        if not (mount == IMAGE_SCRATCH_PATH and "scratch" in path):
            yield from _reserved(path, mount)
        for other_path, other in mounts[:index]:
            if within(mount, other) or within(other, mount):
                yield Problem(f"{mount} and {other} overlap", path, other_path=other_path)


def _reserved(path: Path, mount: str) -> Iterator[Problem]:
    for reserved in RESERVED_MOUNT_PATHS:
        if within(mount, reserved):
            yield Problem(
                f"{mount} is reserved by the image", path, hint="use a path such as /fsx"
            )
            return
        if within(reserved, mount):
            yield Problem(
                f"{mount} would hide {reserved} of the image",
                path,
                hint="use a path such as /fsx",
            )
            return


def within(path: str, folder: str) -> bool:
    """Return whether `path` is `folder` or inside it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _tags(cluster: Cluster) -> Iterator[Problem]:
    for key in cluster.tags:
        if key.lower().startswith("aws:"):
            yield Problem(f"`{key}`: the tag prefix aws: is reserved", ("tags", key), on_key=True)


def _waivers(cluster: Cluster) -> Iterator[Problem]:
    yield from _unique(
        "waiver",
        (
            (("waivers", i, "rule"), f"{w.rule} {w.path or ''}".strip())
            for i, w in enumerate(cluster.waivers)
        ),
    )
