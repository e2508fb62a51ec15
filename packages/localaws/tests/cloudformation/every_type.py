"""One template with every supported type, except networks, clusters and file systems.

Those have separate tests: `test_network_stack`, and `test_cfn` of SageMaker, EKS, FSx and
ParallelCluster.
"""

from __future__ import annotations

import copy
import io
import zipfile
from typing import Any

from packages.localaws.tests.cloudformation.stacks import aws, resource
from packages.localaws.tests.handlers import allow, trust

ASSETS, ARCHIVE = "assets", "code/archive.zip"
ZONE_ID, OTHER_ZONE_ID = "use1-az6", "use1-az4"


KEY, GROUP, SECRET = {"Ref": "Key"}, {"Ref": "Group"}, {"Ref": "Secret"}
VPC = {"Ref": "Vpc"}
CODE = {"S3Bucket": ASSETS, "S3Key": ARCHIVE}
PASSWORD = {"Fn::Join": ["", ["{{resolve:secretsmanager:", SECRET, ":SecretString:password::}}"]]}

RESOURCES: dict[str, Any] = {
    # Shared dependencies.
    "Vpc": resource("AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16"}),
    "SubnetA": resource(
        "AWS::EC2::Subnet",
        {"VpcId": VPC, "CidrBlock": "10.0.0.0/20", "AvailabilityZoneId": ZONE_ID},
    ),
    "SubnetB": resource(
        "AWS::EC2::Subnet",
        {"VpcId": VPC, "CidrBlock": "10.0.16.0/20", "AvailabilityZoneId": OTHER_ZONE_ID},
    ),
    "Group": resource("AWS::EC2::SecurityGroup", {"GroupDescription": "db", "VpcId": VPC}),
    "Restricted": resource(
        "Custom::VpcRestrictDefaultSG",
        {
            "ServiceToken": "x",
            "DefaultSecurityGroupId": {"Fn::GetAtt": ["Vpc", "DefaultSecurityGroup"]},
            "Account": {"Ref": "AWS::AccountId"},
        },
    ),
    # Capacity
    "Placement": resource("AWS::EC2::PlacementGroup", {"Strategy": "cluster"}),
    "Reservation": resource(
        "AWS::EC2::CapacityReservation",
        {
            "InstanceType": "p5.48xlarge",
            "InstancePlatform": "Linux/UNIX",
            "AvailabilityZoneId": ZONE_ID,
            "InstanceCount": 2,
            "InstanceMatchCriteria": "targeted",
        },
    ),
    "Launch": resource(
        "AWS::EC2::LaunchTemplate",
        {
            "LaunchTemplateData": {
                "InstanceType": "m5.large",
                "NetworkInterfaces": [
                    {"DeviceIndex": 0, "NetworkCardIndex": 0, "InterfaceType": "efa"}
                ],
                "MetadataOptions": {"HttpTokens": "required"},
            }
        },
    ),
    # Keys, logs, identities
    "Key": resource(
        "AWS::KMS::Key",
        {
            "EnableKeyRotation": True,
            "KeyPolicy": allow(
                "kms:*",
                Principal={
                    "AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"},
                    "Service": {"Fn::Sub": "logs.${AWS::Region}.amazonaws.com"},
                },
            ),
        },
    ),
    "Alias": resource("AWS::KMS::Alias", {"AliasName": "alias/all", "TargetKeyId": KEY}),
    "Logs": resource(
        "AWS::Logs::LogGroup",
        {"RetentionInDays": "30", "KmsKeyId": {"Fn::GetAtt": ["Key", "Arn"]}},
    ),
    "Role": resource(
        "AWS::IAM::Role",
        {
            "AssumeRolePolicyDocument": trust("lambda.amazonaws.com"),
            "ManagedPolicyArns": [
                "arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"
            ],
            "Policies": [{"PolicyName": "inline", "PolicyDocument": allow("s3:*")}],
        },
    ),
    "Policy": resource(
        "AWS::IAM::Policy",
        {"PolicyName": "shared", "PolicyDocument": allow("s3:*"), "Roles": [{"Ref": "Role"}]},
    ),
    "Managed": resource(
        "AWS::IAM::ManagedPolicy",
        {"PolicyDocument": allow("s3:*"), "Roles": [{"Ref": "Role"}]},
    ),
    "Profile": resource("AWS::IAM::InstanceProfile", {"Roles": [{"Ref": "Role"}]}),
    "Issuer": resource(
        "AWS::IAM::OIDCProvider",
        {"Url": "https://oidc.example.com/id/1", "ClientIdList": ["sts.amazonaws.com", "old"]},
    ),
    # Buckets
    "LogBucket": resource(
        "AWS::S3::Bucket",
        {
            "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerPreferred"}]},
            "AccessControl": "LogDeliveryWrite",
        },
    ),
    "Bucket": resource(
        "AWS::S3::Bucket",
        {
            "BucketEncryption": {
                "ServerSideEncryptionConfiguration": [
                    {
                        "BucketKeyEnabled": True,
                        "ServerSideEncryptionByDefault": {
                            "SSEAlgorithm": "aws:kms",
                            "KMSMasterKeyID": {"Fn::GetAtt": ["Key", "Arn"]},
                        },
                    }
                ]
            },
            "VersioningConfiguration": {"Status": "Enabled"},
            "LifecycleConfiguration": {
                "Rules": [
                    {
                        "Id": "old",
                        "Status": "Enabled",
                        "ExpirationInDays": 30,
                        "Prefix": "old/",
                        "Transitions": [
                            {"StorageClass": "INTELLIGENT_TIERING", "TransitionInDays": 0}
                        ],
                        "NoncurrentVersionExpiration": {"NoncurrentDays": 7},
                        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
                    }
                ]
            },
            "LoggingConfiguration": {
                "DestinationBucketName": {"Ref": "LogBucket"},
                "LogFilePrefix": "access/",
            },
            "PublicAccessBlockConfiguration": {
                "BlockPublicAcls": True,
                "BlockPublicPolicy": "true",
                "IgnorePublicAcls": True,
                "RestrictPublicBuckets": True,
            },
            "Tags": [{"Key": "aws-cdk:auto-delete-objects", "Value": "true"}],
        },
    ),
    "BucketPolicy": resource(
        "AWS::S3::BucketPolicy",
        {
            "Bucket": {"Ref": "Bucket"},
            "PolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Deny",
                        "Principal": "*",
                        "Action": "s3:*",
                        "Resource": {"Fn::GetAtt": ["Bucket", "Arn"]},
                        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                    }
                ],
            },
        },
    ),
    "Emptied": resource(
        "Custom::S3AutoDeleteObjects",
        {"ServiceToken": "x", "BucketName": {"Ref": "Bucket"}},
        DependsOn=["BucketPolicy"],
    ),
    "Deployed": resource(
        "Custom::CDKBucketDeployment",
        {
            "ServiceToken": "x",
            "SourceBucketNames": [ASSETS],
            "SourceObjectKeys": [ARCHIVE],
            "DestinationBucketName": {"Ref": "Bucket"},
            "DestinationBucketKeyPrefix": "lifecycle",
            "Prune": True,
        },
    ),
    "Express": resource(
        "AWS::S3Express::DirectoryBucket",
        {"LocationName": ZONE_ID, "DataRedundancy": "SingleAvailabilityZone"},
    ),
    # Functions and images
    "Layer": resource("AWS::Lambda::LayerVersion", {"Content": CODE}),
    "Function": resource(
        "AWS::Lambda::Function",
        {
            "Code": CODE,
            "Handler": "index.handler",
            "Runtime": "python3.13",
            "Role": {"Fn::GetAtt": ["Role", "Arn"]},
            "Layers": [{"Ref": "Layer"}],
            "MemorySize": "256",
            "Environment": {"Variables": {"SIZE": "b"}},
        },
    ),
    "Inline": resource(
        "AWS::Lambda::Function",
        {
            "Code": {"ZipFile": "def handler(event, context): pass"},
            "Handler": "index.handler",
            "Runtime": "python3.13",
            "Role": {"Fn::GetAtt": ["Role", "Arn"]},
            "LoggingConfig": {"LogGroup": {"Ref": "Logs"}},
        },
    ),
    "Permission": resource(
        "AWS::Lambda::Permission",
        {
            "Action": "lambda:InvokeFunction",
            "FunctionName": {"Ref": "Inline"},
            "Principal": "secretsmanager.amazonaws.com",
        },
    ),
    "Repository": resource(
        "AWS::ECR::Repository", {"ImageScanningConfiguration": {"ScanOnPush": "true"}}
    ),
    # Databases and secrets
    "Secret": resource(
        "AWS::SecretsManager::Secret",
        {
            "GenerateSecretString": {
                "SecretStringTemplate": '{"username": "slurm"}',
                "GenerateStringKey": "password",
                "ExcludePunctuation": True,
                "PasswordLength": 32,
            },
            "KmsKeyId": KEY,
        },
    ),
    "DbSubnets": resource(
        "AWS::RDS::DBSubnetGroup",
        {
            "DBSubnetGroupDescription": "two zones",
            "SubnetIds": [{"Ref": "SubnetA"}, {"Ref": "SubnetB"}],
        },
    ),
    "DbParameters": resource(
        "AWS::RDS::DBParameterGroup",
        {
            "Family": "mysql8.0",
            "Description": "accounting",
            "Parameters": {"innodb_lock_wait_timeout": "900"},
        },
    ),
    "Db": resource(
        "AWS::RDS::DBInstance",
        {
            "DBInstanceClass": "db.t4g.medium",
            "Engine": "mysql",
            "EngineVersion": "8.0.42",
            "AllocatedStorage": "20",
            "StorageType": "gp3",
            "StorageEncrypted": True,
            "KmsKeyId": KEY,
            "DBName": "slurm_acct_db",
            "DBSubnetGroupName": {"Ref": "DbSubnets"},
            "DBParameterGroupName": {"Ref": "DbParameters"},
            "VPCSecurityGroups": [GROUP],
            "MasterUsername": {
                "Fn::Sub": "{{resolve:secretsmanager:${Secret}:SecretString:username}}"
            },
            "MasterUserPassword": PASSWORD,
            "BackupRetentionPeriod": 7,
            "DeletionProtection": False,
            "EnableCloudwatchLogsExports": ["error"],
            "MultiAZ": False,
            "Port": "3306",
        },
        DeletionPolicy="Delete",
    ),
    "Attached": resource(
        "AWS::SecretsManager::SecretTargetAttachment",
        {"SecretId": SECRET, "TargetId": {"Ref": "Db"}, "TargetType": "AWS::RDS::DBInstance"},
    ),
    # Watching
    "Topic": resource("AWS::SNS::Topic", {"KmsMasterKeyId": KEY, "DisplayName": "alerts"}),
    "TopicPolicy": resource(
        "AWS::SNS::TopicPolicy",
        {
            "Topics": [{"Ref": "Topic"}],
            "PolicyDocument": allow(
                "sns:Publish",
                Principal={"Service": "budgets.amazonaws.com"},
                Resource={"Ref": "Topic"},
            ),
        },
    ),
    "Subscription": resource(
        "AWS::SNS::Subscription",
        {"TopicArn": {"Ref": "Topic"}, "Protocol": "email", "Endpoint": "a@example.com"},
    ),
    "Warnings": resource(
        "AWS::SQS::Queue",
        {"MessageRetentionPeriod": "300", "SqsManagedSseEnabled": True, "DelaySeconds": 1},
    ),
    "WarningsPolicy": resource(
        "AWS::SQS::QueuePolicy",
        {
            "Queues": [{"Ref": "Warnings"}],
            "PolicyDocument": allow(
                "sqs:SendMessage",
                Principal={"Service": "events.amazonaws.com"},
                Resource={"Fn::GetAtt": ["Warnings", "Arn"]},
            ),
        },
    ),
    "Rule": resource(
        "AWS::Events::Rule",
        {
            "Description": "warnings",
            "EventPattern": {"source": ["aws.ec2"]},
            "Targets": [{"Id": "queue", "Arn": {"Fn::GetAtt": ["Warnings", "Arn"]}}],
        },
    ),
    "Alarm": resource(
        "AWS::CloudWatch::Alarm",
        {
            "ComparisonOperator": "GreaterThanThreshold",
            "EvaluationPeriods": "1",
            "MetricName": "FreeDataStorageCapacity",
            "Namespace": "AWS/FSx",
            "Period": 60,
            "Statistic": "Average",
            "Threshold": 1,
            "AlarmActions": [{"Ref": "Topic"}],
            "Dimensions": [{"Name": "FileSystemId", "Value": "fs-1"}],
        },
    ),
    "Composite": resource(
        "AWS::CloudWatch::CompositeAlarm",
        {"AlarmRule": {"Fn::Join": ["", ["ALARM(", {"Fn::GetAtt": ["Alarm", "Arn"]}, ")"]]}},
    ),
    "Dashboard": resource("AWS::CloudWatch::Dashboard", {"DashboardBody": '{"widgets":[]}'}),
    "Budget": resource(
        "AWS::Budgets::Budget",
        {
            "Budget": {
                "BudgetType": "COST",
                "TimeUnit": "MONTHLY",
                "BudgetLimit": {"Amount": 1000, "Unit": "USD"},
            },
            "NotificationsWithSubscribers": [
                {
                    "Notification": {
                        "ComparisonOperator": "GREATER_THAN",
                        "NotificationType": "ACTUAL",
                        "Threshold": 80,
                    },
                    "Subscribers": [{"SubscriptionType": "EMAIL", "Address": "a@example.com"}],
                }
            ],
        },
    ),
    "Metrics": resource("AWS::APS::Workspace", {"Alias": "training"}),
    "Rules": resource(
        "AWS::APS::RuleGroupsNamespace",
        {"Workspace": {"Ref": "Metrics"}, "Name": "alerts", "Data": "groups: []"},
    ),
    "Dashboards": resource(
        "AWS::Grafana::Workspace",
        {
            "AccountAccessType": "CURRENT_ACCOUNT",
            "AuthenticationProviders": ["SAML"],
            "PermissionType": "SERVICE_MANAGED",
            "Name": "training",
            "DataSources": ["PROMETHEUS"],
            "SamlConfiguration": {"IdpMetadata": {"Url": "https://idp.example/metadata"}},
        },
    ),
    "Setting": resource("AWS::SSM::Parameter", {"Type": "String", "Value": VPC}),
    "CDKMetadata": resource("AWS::CDK::Metadata", {"Analytics": "v2:deflate64:abc"}),
}

OUTPUTS = {
    name: {"Value": {"Fn::GetAtt": path}}
    for name, path in {
        "DbHost": ["Db", "Endpoint.Address"],
        "DeployedTo": ["Deployed", "DestinationBucketArn"],
        "MetricsUrl": ["Metrics", "PrometheusEndpoint"],
        "GrafanaHost": ["Dashboards", "Endpoint"],
        "RepositoryUri": ["Repository", "RepositoryUri"],
        "FunctionArn": ["Function", "Arn"],
        "ExpressArn": ["Express", "Arn"],
        "LaunchVersion": ["Launch", "LatestVersionNumber"],
        "PlacementName": ["Placement", "GroupName"],
    }.items()
}


def make_assets() -> None:
    """The bucket with the archive that functions and deployments use."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("index.py", "def handler(event, context):\n    pass\n")
        archive.writestr("sub/on_create.sh", "#!/bin/sh\n")
    s3 = aws("s3")
    s3.create_bucket(Bucket=ASSETS)
    s3.put_object(Bucket=ASSETS, Key=ARCHIVE, Body=buffer.getvalue())


def changed() -> dict[str, Any]:
    """The same resources with a change in many of them; none is replaced."""
    out = copy.deepcopy(RESOURCES)

    def to(name: str) -> dict[str, Any]:
        found: dict[str, Any] = out[name]["Properties"]
        return found

    to("Bucket")["VersioningConfiguration"]["Status"] = "Suspended"
    to("Logs")["RetentionInDays"] = 60
    del to("Logs")["KmsKeyId"]
    to("Role")["Description"] = "runs functions"
    to("Role")["Policies"][0]["PolicyDocument"] = allow("s3:Get*")
    to("Managed")["PolicyDocument"] = allow("s3:Get*")
    to("Issuer")["ClientIdList"] = ["sts.amazonaws.com", "new"]
    to("Issuer")["ThumbprintList"] = ["a" * 40]
    to("Policy")["PolicyName"] = "renamed"
    to("Setting")["Value"] = "new"
    to("DbParameters")["Parameters"] = {"innodb_buffer_pool_size": "1"}
    to("Db").update(BackupRetentionPeriod=8, AllocatedStorage="30")
    to("Topic")["DisplayName"] = "warnings"
    to("Warnings")["MessageRetentionPeriod"] = "600"
    del to("Warnings")["DelaySeconds"]
    to("WarningsPolicy")["PolicyDocument"]["Statement"][0]["Action"] = ["sqs:ReceiveMessage"]
    to("Rule")["State"] = "DISABLED"
    to("Rule")["Targets"][0]["Id"] = "renamed"
    to("Alarm")["Threshold"] = 2
    to("Dashboard")["DashboardBody"] = '{"widgets":[1]}'
    to("Budget")["Budget"]["BudgetLimit"]["Amount"] = 2000
    to("Metrics")["Alias"] = "other"
    to("Reservation")["InstanceCount"] = 3
    to("Launch")["LaunchTemplateData"]["InstanceType"] = "m5.xlarge"
    to("Key")["Description"] = "everything"
    to("Repository")["ImageScanningConfiguration"]["ScanOnPush"] = False
    to("Function")["MemorySize"] = 512
    to("Inline")["Code"]["ZipFile"] = "x = 1"
    to("Group")["SecurityGroupIngress"] = [
        {"IpProtocol": "tcp", "FromPort": 3306, "ToPort": 3306, "CidrIp": "10.0.0.0/16"}
    ]
    return out
