"""What each type of EBS volume takes: sizes, IOPS, throughput. moto compares none of them.

The ranges are those of CreateVolume and ModifyVolume in the API model, which also says which type
takes `Iops`, `Throughput` and `MultiAttachEnabled`. IOPS per GiB and throughput per IOPS:
https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html and
https://docs.aws.amazon.com/ebs/latest/userguide/provisioned-iops.html

Texts that users quote: https://github.com/kubernetes-retired/kube-aws/issues/1208 and
https://github.com/kubernetes/kops/issues/4720 (iops), https://github.com/runs-on/runs-on/issues/426
(throughput), https://github.com/rocicorp/mono/pull/4410 and
https://github.com/runs-on/runs-on/issues/260 (ratios), https://github.com/aws/aws-cli/issues/4216
(ModifyVolume), https://github.com/aws/karpenter-provider-aws/issues/3302 (snapshots of launches),
https://github.com/keithvassallomt/parsec-aws-automation/issues/12 (keys of launches). Those of
ranges are as https://github.com/fog/fog-aws has them; the one of MultiAttachEnabled, and that of a
snapshot in CreateVolume, are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.ec2.common import number_of
from clusterwright_localaws.services.ec2.reserved import ec2_backend

_DEFAULT: Final = "gp2"
# "If you change the volume type to io1, io2, or gp3, the default is 3,000": ModifyVolume.
_DEFAULT_IOPS: Final = 3_000
_MIBPS_PER_IOPS: Final = 0.25


@dataclass(frozen=True)
class _Type:
    """Least and most of a type: GiB, IOPS and MiB/s; None: the type does not take the member."""

    sizes: tuple[int, int]
    iops: tuple[int, int] | None = None
    iops_per_gib: int = 0
    throughput: tuple[int, int] | None = None
    provisioned: bool = False  # needs IOPS, and can be attached to many instances


_TYPES: Final[Mapping[str, _Type]] = {
    "standard": _Type((1, 1_024)),
    "gp2": _Type((1, 16_384)),
    "gp3": _Type((1, 65_536), (3_000, 80_000), 500, (125, 2_000)),
    "io1": _Type((4, 16_384), (100, 64_000), 50, provisioned=True),
    "io2": _Type((4, 65_536), (100, 256_000), 1_000, provisioned=True),
    "st1": _Type((125, 16_384)),
    "sc1": _Type((125, 16_384)),
}


@dataclass(frozen=True)
class _Volume:
    """A volume as it is asked for; None: not stated, or not known."""

    kind: str
    size: int | None
    iops: int | None
    throughput: int | None
    effective_iops: int | None
    multi_attach: bool = False
    is_new: bool = True


@operation("ec2", "CreateVolume")
def create_volume(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    snapshot = _snapshot_size(ec2_backend(call.account, call.region), request)
    size = number_of(request, "Size")
    if snapshot is not None and size is not None and size < snapshot:
        raise _value(f"Volume of {size}GiB is smaller than its snapshot, which has {snapshot}GiB.")
    _check_key(request)
    _check(
        _asked(
            request,
            kind=str(request.get("VolumeType") or _DEFAULT),
            size=snapshot if size is None else size,
            multi_attach=bool(request.get("MultiAttachEnabled")),
        )
    )
    raise ForwardToMoto


@operation("ec2", "ModifyVolume")
def modify_volume(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    present = ec2_backend(call.account, call.region).volumes.get(request["VolumeId"])
    if present is None:
        raise ForwardToMoto
    kind = str(request.get("VolumeType") or present.volume_type)
    size = number_of(request, "Size")
    if size is not None and size < int(present.size):
        raise _value("New size cannot be smaller than existing size")
    _check(
        _asked(
            request,
            kind=kind,
            size=int(present.size) if size is None else size,
            # moto does not keep the IOPS of each volume.
            iops_otherwise=_DEFAULT_IOPS if kind != present.volume_type else None,
            multi_attach=bool(request.get("MultiAttachEnabled")),
            is_new=False,
        )
    )
    raise ForwardToMoto


def check_mappings(ec2: Any, mappings: Iterable[Mapping[str, Any]]) -> None:
    """Check the volumes of a launch. One without a type may have that of the image, which is
    known of no image: its values are not compared.

    Raises
    ------
    AwsError
        The type does not take a value, or the snapshot is larger than the volume.
    """
    for volume in (one.get("Ebs") or {} for one in mappings):
        size, snapshot = number_of(volume, "VolumeSize"), _snapshot_size(ec2, volume)
        if snapshot is not None and size is not None and size < snapshot:
            raise AwsError(
                "InvalidBlockDeviceMapping",
                f"Volume of size {size}GB is smaller than snapshot '{volume['SnapshotId']}', "
                f"expect size >= {snapshot}GB",
            )
        _check_key(volume)
        kind = volume.get("VolumeType")
        if kind:
            _check(_asked(volume, kind=str(kind), size=snapshot if size is None else size))


def _asked(
    values: Mapping[str, Any],
    *,
    kind: str,
    size: int | None,
    iops_otherwise: int | None = _DEFAULT_IOPS,
    multi_attach: bool = False,
    is_new: bool = True,
) -> _Volume:
    iops, throughput = number_of(values, "Iops"), number_of(values, "Throughput")
    effective = iops_otherwise if iops is None else iops
    return _Volume(kind, size, iops, throughput, effective, multi_attach, is_new)


def _check(volume: _Volume) -> None:
    found = _TYPES[volume.kind]  # the types of the API model
    _check_members(volume, found)
    if volume.size is not None:
        least, most = found.sizes
        if volume.size < least:
            raise _value(f"Volume of {volume.size}GiB is too small; minimum is {least}GiB.")
        if volume.size > most:
            raise _value(f"Volume of {volume.size}GiB is too large; maximum is {most}GiB.")
    _check_range("iops", volume.iops, found.iops)
    _check_range("throughput", volume.throughput, found.throughput)
    _check_ratios(volume, found)


def _check_members(volume: _Volume, found: _Type) -> None:
    if volume.iops is not None and found.iops is None:
        raise _combination(f"The parameter iops is not supported for {volume.kind} volumes.")
    if volume.iops is None and found.provisioned and volume.is_new:
        raise _combination(f"The parameter iops must be specified for {volume.kind} volumes.")
    if volume.throughput is not None and found.throughput is None:
        raise _combination("throughput can only be specified for volumeType gp3.")
    if volume.multi_attach and not found.provisioned:
        raise _combination(
            f"The parameter multiAttachEnabled is not supported for {volume.kind} volumes."
        )


def _check_range(name: str, value: int | None, limits: tuple[int, int] | None) -> None:
    if value is None or limits is None:
        return
    if value < limits[0]:
        raise _value(f"Volume {name} of {value} is too low; minimum is {limits[0]}.")
    if value > limits[1]:
        raise _value(f"Volume {name} of {value} is too high; maximum is {limits[1]}.")


def _check_ratios(volume: _Volume, found: _Type) -> None:
    # Each volume may have the least IOPS of its type, which gp3 volumes have of any size.
    if volume.iops and volume.size and found.iops and volume.iops > found.iops[0]:
        ratio = volume.iops / volume.size
        if ratio > found.iops_per_gib:
            raise _value(
                f"Iops to volume size ratio of {ratio:.6f} is too high; maximum is "
                f"{found.iops_per_gib}"
            )
    if volume.throughput and volume.effective_iops:
        ratio = volume.throughput / volume.effective_iops
        if ratio > _MIBPS_PER_IOPS:
            raise _value(
                f"Throughput (MiBps) to iops ratio of {ratio:.6f} is too high; maximum is "
                f"{_MIBPS_PER_IOPS:.6f} MiBps per iops"
            )


def _check_key(values: Mapping[str, Any]) -> None:
    if values.get("KmsKeyId") and not values.get("Encrypted"):
        raise AwsError(
            "InvalidParameterDependency",
            "The parameter KmsKeyId requires the parameter Encrypted to be set.",
        )


def _snapshot_size(ec2: Any, values: Mapping[str, Any]) -> int | None:
    """Return the GiB of a snapshot; those of images have an invented size."""
    found = ec2.snapshots.get(values.get("SnapshotId"))
    return None if found is None or found.from_ami else int(found.volume.size)


def _value(text: str) -> AwsError:
    return AwsError("InvalidParameterValue", text)


def _combination(text: str) -> AwsError:
    return AwsError("InvalidParameterCombination", text)
