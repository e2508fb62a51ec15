"""moto keeps the network interfaces of terminated instances, or deletes them again.

"By default, network interfaces created during instance launch are deleted when the instance
terminates"; interfaces that existed before, or that the launch keeps, remain:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html
"If you terminate an instance more than once, each call succeeds":
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_TerminateInstances.html
"""

from __future__ import annotations

import copy
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: network interfaces created with an instance are deleted with it, unless the launch says "
    "otherwise; so subnets and security groups can be deleted afterwards. Terminating an instance "
    "again succeeds, and answers that it is terminated"
)
REPRODUCTION = """\
ec2 = boto3.client("ec2")
vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
(instance,) = ec2.run_instances(
    ImageId=image,
    MinCount=1,
    MaxCount=1,
    NetworkInterfaces=[{"DeviceIndex": 0, "SubnetId": subnet}],
)["Instances"]
for _ in range(2):
    found = ec2.terminate_instances(InstanceIds=[instance["InstanceId"]])
(ended,) = found["TerminatingInstances"]
assert ended["CurrentState"] == ended["PreviousState"] == {"Code": 48, "Name": "terminated"}
assert ec2.describe_network_interfaces()["NetworkInterfaces"] == []
"""


def apply() -> None:
    from moto.ec2.models.instances import Instance
    from moto.ec2.responses.instances import InstanceResponse

    prepare_in_moto = Instance.prep_nics

    def prep_nics(self: Any, nic_spec: Any, *arguments: Any, **named: Any) -> None:
        prepare_in_moto(self, nic_spec, *arguments, **named)
        text = {int(item.get("DeviceIndex") or 0): item for item in nic_spec or ()}
        for index, interface in self.nics.items():
            spec = text.get(index, {})
            if "NetworkInterfaceId" not in spec and spec.get("DeleteOnTermination") is None:
                interface.delete_on_termination = True

    terminate_in_moto = Instance.terminate

    def terminate(self: Any) -> Any:
        if self._state.name == "terminated":
            return copy.copy(self._state)
        found = terminate_in_moto(self)
        # moto knows one interface of each device index; instances with several network cards have
        # more of them.
        for interface in list(self.ec2_backend.enis.values()):
            if interface.instance is self and interface.delete_on_termination:
                interface.stop()
                interface.delete()
        return found

    answer_in_moto = InstanceResponse.terminate_instances

    def terminate_instances(self: Any) -> Any:
        answered: Any = answer_in_moto(self)
        for one in answered.result["TerminatingInstances"]:
            if one["PreviousState"].name == "terminated":
                one["CurrentState"] = one["PreviousState"]
        return answered

    InstanceResponse.terminate_instances = terminate_instances  # type: ignore[method-assign]
    Instance.prep_nics = prep_nics  # type: ignore[method-assign]
    Instance.terminate = terminate  # type: ignore[method-assign]
