"""moto has no filter for the client token of instances.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html
"""

from __future__ import annotations

MOTO_VERSION = "5.2.5"
DESCRIPTION = "EC2: DescribeInstances has the filter `client-token`"
REPRODUCTION = """\
ec2 = boto3.client("ec2")
wanted = [{"Name": "client-token", "Values": ["once"]}]
assert ec2.describe_instances(Filters=wanted)["Reservations"] == []
ec2.run_instances(ImageId="ami-12c6146b", MinCount=1, MaxCount=1, ClientToken="once")
assert len(ec2.describe_instances(Filters=wanted)["Reservations"]) == 1
"""


def apply() -> None:
    from moto.ec2.utils import filter_dict_attribute_mapping

    filter_dict_attribute_mapping.setdefault("client-token", "client_token")
