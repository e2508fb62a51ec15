"""moto creates any number of volumes; EBS has quotas of storage per type of volume.

Code: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html; the text of
CreateVolume: kubernetes-sigs/aws-ebs-csi-driver #2512. EC2 launches an instance whose volume is
beyond the quota, and terminates it with Client.VolumeLimitExceeded; here RunInstances is refused.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.moto_quotas import count, limit
from clusterwright_localaws.core.quotas import AppliedQuota

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: CreateVolume and RunInstances refuse gp3 volumes beyond the world's quota of storage"
)
_STORAGE_TIB = ("ebs", "L-7A658B76")
_GIB_PER_TIB = 1024


def apply() -> None:
    from moto.ec2.models import EC2Backend

    limit(EC2Backend, "create_volume", _STORAGE_TIB, _refusal, added=_of_volume)
    # Before the first instance: moto would keep those that it has started.
    limit(EC2Backend, "run_instances", _STORAGE_TIB, _refusal, added=_of_instances)


def _of_volume(ec2: Any, size: int | None, *arguments: Any, **named: Any) -> float | None:
    if named.get("volume_type") != "gp3":
        return None
    return _size_gib(ec2, size, named.get("snapshot_id")) / _GIB_PER_TIB


def _of_instances(
    ec2: Any, image_id: str, count: int, *arguments: Any, **named: Any
) -> float | None:
    mappings = named.get("block_device_mappings")
    if not mappings and named.get("launch_template"):
        template = ec2._get_template_from_args(named["launch_template"])
        mappings = template.data.get("BlockDeviceMappings")
    volumes = [mapping.get("Ebs") or {} for mapping in mappings or ()]
    sizes_gib = [
        _size_gib(ec2, v.get("VolumeSize"), v.get("SnapshotId"))
        for v in volumes
        if v.get("VolumeType") == "gp3"
    ]
    return count * sum(sizes_gib) / _GIB_PER_TIB if any(sizes_gib) else None


def _size_gib(ec2: Any, size: Any, snapshot_id: str | None) -> int:
    """The size of a volume, which is that of its snapshot unless it is stated; else 0."""
    snapshot = ec2.snapshots.get(snapshot_id)
    return int(size or (snapshot.volume.size if snapshot is not None else 0))


def _refusal(quota: AppliedQuota) -> Exception:
    from moto.ec2.exceptions import EC2ClientError

    return EC2ClientError(
        "VolumeLimitExceeded",
        f"You have exceeded your maximum gp3 storage limit of {quota.value:g} TiB in this region. "
        "Please contact AWS Support to request an Elastic Block Store service limit increase.",
    )


count(
    _STORAGE_TIB,
    "ec2",
    lambda ec2: sum(
        int(volume.size) / _GIB_PER_TIB
        for volume in ec2.volumes.values()
        if volume.volume_type == "gp3"
    ),
)
