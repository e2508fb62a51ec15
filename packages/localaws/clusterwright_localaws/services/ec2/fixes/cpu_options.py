"""moto's instances have no CpuOptions.

"The number of CPU cores" and "the number of threads per CPU core" are members of every instance:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CpuOptions.html
"""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: DescribeInstances returns the CpuOptions of the instance type; those that "
    "RunInstances or a launch "
    "template requests are ignored"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
ec2.run_instances(ImageId=image, InstanceType="m5.2xlarge", MinCount=1, MaxCount=1)
(instance,) = ec2.describe_instances()["Reservations"][0]["Instances"]
assert instance.get("CpuOptions") == {"CoreCount": 4, "ThreadsPerCore": 2}
"""


def apply() -> None:
    from moto.ec2.models.instances import Instance

    Instance.cpu_options = property(_options)  # type: ignore[attr-defined]


def _options(instance: Any) -> dict[str, int] | None:
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    found = INSTANCE_TYPES.get(instance.instance_type, {}).get("VCpuInfo", {})
    cores, threads = found.get("DefaultCores"), found.get("DefaultThreadsPerCore")
    if cores is None or threads is None:
        return None
    return {"CoreCount": cores, "ThreadsPerCore": threads}
