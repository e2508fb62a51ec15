"""A world with delays, for tests that wait."""

from __future__ import annotations

from packages.localaws.tests.cloudformation.stacks import (
    resource,
)

WAITED = {
    "Vpc": resource("AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16"}),
    "Subnet": resource("AWS::EC2::Subnet", {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.0.0/24"}),
    "Address": resource("AWS::EC2::EIP", {"Domain": "vpc"}),
    "Nat": resource(
        "AWS::EC2::NatGateway",
        {
            "AllocationId": {"Fn::GetAtt": ["Address", "AllocationId"]},
            "SubnetId": {"Ref": "Subnet"},
        },
    ),
    "Endpoint": resource(
        "AWS::EC2::VPCEndpoint",
        {
            "VpcId": {"Ref": "Vpc"},
            "VpcEndpointType": "Interface",
            "ServiceName": "com.amazonaws.us-east-1.ssm",
            "SubnetIds": [{"Ref": "Subnet"}],
        },
    ),
    "Db": resource(
        "AWS::RDS::DBInstance",
        {
            "DBInstanceClass": "db.t4g.medium",
            "Engine": "mysql",
            "AllocatedStorage": "20",
            "MasterUsername": "slurm",
            "MasterUserPassword": "not-a-secret-1",
        },
        DeletionPolicy="Delete",
    ),
    "Metrics": resource("AWS::APS::Workspace", {"Alias": "a"}),
}
