"""The world's buckets, created before the first call that reads buckets."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.zones import partition_of


def seed_buckets(runtime: Runtime) -> None:
    """Create the world's buckets; does nothing after the first call."""
    runtime.store("seeded-buckets", "", "", lambda: _seed(runtime))


def find_bucket(name: str) -> Any | None:
    """Return moto's bucket of that name, of any account, or `None`."""
    from moto.s3.models import s3_backends

    for partitions in list(s3_backends.values()):
        for backend in list(partitions.values()):
            if name in backend.buckets:
                return backend.buckets[name]
    return None


def find_version(bucket: Any, key: str, version_id: str | None) -> Any | None:
    """Return a version of an object or a delete marker, the newest by default, or `None`."""
    versions = bucket.keys.getlist(key, [])
    if version_id is None:
        return versions[-1] if versions else None
    return next((one for one in versions if one.version_id == version_id), None)


def _seed(runtime: Runtime) -> bool:
    from moto.s3.models import s3_backends

    world = runtime.world
    for seed in world.buckets:
        region = seed.region or world.region
        backend = s3_backends[seed.account or world.account][partition_of(region)]
        if seed.name not in backend.buckets:
            bucket = backend.create_bucket(seed.name, region)
            if seed.account is not None:
                # It belongs to another account, so its policy allows everyone else.
                bucket.policy = _open_policy(seed.name, partition_of(region))
    return True


def _open_policy(name: str, partition: str) -> bytes:
    arn = f"arn:{partition}:s3:::{name}"
    statement = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [arn, f"{arn}/*"],
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}).encode()
