"""The base class of the models, and types that several models use."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from clusterwright.cluster_spec.models import formats


class Model(BaseModel):
    """A mapping of the spec: unknown keys are errors, values are not coerced, instances are
    frozen.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        populate_by_name=True,
        allow_inf_nan=False,
        # Building every validator at import takes longer than reading the file: build on first
        # use. For the same reason defaults that are models use `model_construct`.
        defer_build=True,
    )


LARGEST_INTEGER = 2_147_483_647
"""The largest integer of the FSx API (StorageCapacity, botocore 1.44.5)."""

Name = Annotated[
    str,
    Field(
        pattern=formats.NAME.pattern, min_length=1, max_length=63, examples=[formats.NAME.example]
    ),
]
"""A name that SageMaker accepts (CreateCluster: ClusterName, InstanceGroupName)."""

UnixName = Annotated[
    str, Field(pattern=formats.UNIX_NAME.pattern, examples=[formats.UNIX_NAME.example])
]

AbsolutePath = Annotated[
    str,
    Field(
        pattern=formats.ABSOLUTE_PATH.pattern,
        max_length=1024,
        examples=[formats.ABSOLUTE_PATH.example],
    ),
]
"""A path on a node: `/fsx`, `/fsx/checkpoints`."""

S3Uri = Annotated[
    str, Field(pattern=formats.S3_URI.pattern, max_length=1100, examples=[formats.S3_URI.example])
]
BucketName = Annotated[
    str, Field(pattern=formats.BUCKET.pattern, examples=[formats.BUCKET.example])
]
Email = Annotated[
    str, Field(pattern=formats.EMAIL.pattern, max_length=254, examples=[formats.EMAIL.example])
]
SecurityGroupId = Annotated[
    str,
    Field(pattern=formats.SECURITY_GROUP_ID.pattern, examples=[formats.SECURITY_GROUP_ID.example]),
]
SubnetId = Annotated[
    str, Field(pattern=formats.SUBNET_ID.pattern, examples=[formats.SUBNET_ID.example])
]
VpcId = Annotated[str, Field(pattern=formats.VPC_ID.pattern, examples=[formats.VPC_ID.example])]
Cidr = Annotated[str, Field(pattern=formats.CIDR.pattern, examples=[formats.CIDR.example])]
FileSystemDns = Annotated[
    str,
    Field(
        pattern=formats.FILE_SYSTEM_DNS.pattern,
        max_length=275,
        examples=[formats.FILE_SYSTEM_DNS.example],
    ),
]

LogRetentionDays = Literal[
    1,
    3,
    5,
    7,
    14,
    30,
    60,
    90,
    120,
    150,
    180,
    365,
    400,
    545,
    731,
    1096,
    1827,
    2192,
    2557,
    2922,
    3288,
    3653,
]
"""The retention periods of CloudWatch Logs (PutRetentionPolicy)."""
