"""Templates of a network for tests."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.cloudformation.stacks import (
    resource,
)

VPC, GROUP = {"Ref": "Vpc"}, {"Ref": "Group"}

NETWORK: dict[str, Any] = {
    "Vpc": resource(
        "AWS::EC2::VPC",
        {
            "CidrBlock": "10.0.0.0/16",
            # CloudFormation accepts both spellings of a boolean and of a number.
            "EnableDnsHostnames": "true",
            "Tags": [{"Key": "Name", "Value": "training"}],
        },
    ),
    "More": resource("AWS::EC2::VPCCidrBlock", {"VpcId": VPC, "CidrBlock": "10.1.0.0/16"}),
    "Nodes": resource(
        "AWS::EC2::Subnet",
        {"VpcId": VPC, "CidrBlock": "10.1.0.0/18", "AvailabilityZoneId": "use1-az6"},
        DependsOn="More",
    ),
    "Second": resource(
        "AWS::EC2::Subnet",
        {
            "VpcId": VPC,
            "CidrBlock": {"Fn::Select": [1, {"Fn::Cidr": ["10.0.0.0/16", 4, 12]}]},
            "AvailabilityZone": {"Fn::Select": ["1", {"Fn::GetAZs": ""}]},
        },
    ),
    "Public": resource(
        "AWS::EC2::Subnet",
        {
            "VpcId": VPC,
            "CidrBlock": "10.0.64.0/24",
            "AvailabilityZoneId": "use1-az6",
            "MapPublicIpOnLaunch": True,
        },
    ),
    "PublicTable": resource("AWS::EC2::RouteTable", {"VpcId": VPC}),
    "PublicTableSubnet": resource(
        "AWS::EC2::SubnetRouteTableAssociation",
        {"RouteTableId": {"Ref": "PublicTable"}, "SubnetId": {"Ref": "Public"}},
    ),
    "Internet": resource("AWS::EC2::InternetGateway"),
    "Attachment": resource(
        "AWS::EC2::VPCGatewayAttachment", {"VpcId": VPC, "InternetGatewayId": {"Ref": "Internet"}}
    ),
    "PublicRoute": resource(
        "AWS::EC2::Route",
        {
            "RouteTableId": {"Ref": "PublicTable"},
            "DestinationCidrBlock": "0.0.0.0/0",
            "GatewayId": {"Ref": "Internet"},
        },
        DependsOn=["Attachment"],
    ),
    "Address": resource("AWS::EC2::EIP", {"Domain": "vpc"}),
    "Nat": resource(
        "AWS::EC2::NatGateway",
        {
            "AllocationId": {"Fn::GetAtt": ["Address", "AllocationId"]},
            "SubnetId": {"Ref": "Public"},
        },
        DependsOn=["PublicRoute"],
    ),
    "PrivateTable": resource("AWS::EC2::RouteTable", {"VpcId": VPC}),
    "PrivateRoute": resource(
        "AWS::EC2::Route",
        {
            "RouteTableId": {"Ref": "PrivateTable"},
            "DestinationCidrBlock": "0.0.0.0/0",
            "NatGatewayId": {"Ref": "Nat"},
        },
    ),
    "S3": resource(
        "AWS::EC2::VPCEndpoint",
        {
            "VpcId": VPC,
            "ServiceName": {"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"},
            "RouteTableIds": [{"Ref": "PrivateTable"}],
            "VpcEndpointType": "Gateway",
            "PolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {"Effect": "Allow", "Principal": "*", "Action": "s3:*", "Resource": "*"}
                ],
            },
        },
    ),
    "Group": resource(
        "AWS::EC2::SecurityGroup",
        {
            "GroupDescription": "nodes",
            "VpcId": VPC,
            "SecurityGroupIngress": [
                {
                    "IpProtocol": "tcp",
                    "FromPort": "443",
                    "ToPort": 443,
                    "CidrIp": "10.0.0.0/16",
                    "Description": "https",
                }
            ],
            "SecurityGroupEgress": [{"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}],
        },
    ),
    "FromItself": resource(
        "AWS::EC2::SecurityGroupIngress",
        {
            "GroupId": {"Fn::GetAtt": ["Group", "GroupId"]},
            "IpProtocol": "-1",
            "SourceSecurityGroupId": GROUP,
        },
    ),
    "ToItself": resource(
        "AWS::EC2::SecurityGroupEgress",
        {"GroupId": GROUP, "IpProtocol": "-1", "DestinationSecurityGroupId": GROUP},
    ),
    "Ssm": resource(
        "AWS::EC2::VPCEndpoint",
        {
            "VpcId": VPC,
            "ServiceName": "com.amazonaws.us-east-1.ssm",
            "SubnetIds": [{"Ref": "Nodes"}],
            "SecurityGroupIds": [GROUP],
            "VpcEndpointType": "Interface",
            "PrivateDnsEnabled": True,
        },
    ),
    "Flows": resource(
        "AWS::EC2::FlowLog",
        {
            "ResourceId": VPC,
            "ResourceType": "VPC",
            "TrafficType": "ALL",
            "LogDestinationType": "s3",
            "LogDestination": "arn:aws:s3:::flow-logs",
        },
    ),
}
