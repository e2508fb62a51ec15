"""What every model of the spec shares."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """A part of the spec: unknown keys are errors, no value is coerced, nothing changes later."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        populate_by_name=True,
        # Building every validator at import costs more than reading the file: build on first use.
        defer_build=True,
    )


S3_URI_PATTERN = r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s]*)?$"
BUCKET_PATTERN = r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"
ABSOLUTE_PATH_PATTERN = r"^/[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$"

Name = Annotated[str, Field(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9])*$", min_length=1, max_length=63)]
"""A name as SageMaker takes it (CreateCluster: ClusterName, InstanceGroupName)."""

AbsolutePath = Annotated[str, Field(pattern=ABSOLUTE_PATH_PATTERN, max_length=1024)]
"""A path on a node, or inside a file system: `/fsx`, `/data/tokens`."""

S3Uri = Annotated[str, Field(pattern=S3_URI_PATTERN, max_length=1100)]
BucketName = Annotated[str, Field(pattern=BUCKET_PATTERN)]
Arn = Annotated[str, Field(pattern=r"^arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:(\d{12}|aws)?:.+$")]
Email = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=254)]
SecurityGroupId = Annotated[str, Field(pattern=r"^sg-[0-9a-f]{8,17}$")]
SubnetId = Annotated[str, Field(pattern=r"^subnet-[0-9a-f]{8,17}$")]
VpcId = Annotated[str, Field(pattern=r"^vpc-[0-9a-f]{8,17}$")]
Cidr = Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,3}){3}/\d{1,2}$")]
