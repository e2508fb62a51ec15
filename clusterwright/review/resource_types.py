"""Facts about resource types in addition to their schemas: their data, effects of updates.

Each entry names its source. A type in neither table counts as holding data, so that its
replacement must be allowed.
"""

from __future__ import annotations

from typing import Final

from clusterwright.cfn.resource_schemas import Pointer

CLUSTER: Final = "AWS::SageMaker::Cluster"
PCS_CLUSTER: Final = "AWS::PCS::Cluster"
PCS_GROUP: Final = "AWS::PCS::ComputeNodeGroup"
FILE_SYSTEM: Final = "AWS::FSx::FileSystem"

_REFERENCE: Final = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference"

HOLDS: Final[dict[str, str]] = {
    "AWS::APS::Workspace": "metrics",
    "AWS::AutoScaling::AutoScalingGroup": "instances and what runs on them",
    "AWS::Backup::BackupVault": "backups",
    "AWS::CloudFormation::Stack": "the resources of a nested stack",
    "AWS::DynamoDB::GlobalTable": "data",
    "AWS::DynamoDB::Table": "data",
    "AWS::EC2::CapacityReservation": "reserved capacity, which may not be available again",
    "AWS::EC2::EIP": "an IP address that others may have allowed",
    "AWS::EC2::Instance": "an instance and what runs on it",
    "AWS::EC2::Volume": "data",
    "AWS::ECR::Repository": "images",
    "AWS::EFS::FileSystem": "files",
    "AWS::EKS::Cluster": "a cluster and the jobs on it",
    "AWS::EKS::Nodegroup": "nodes and the jobs on them",
    "AWS::FSx::FileSystem": "files",
    "AWS::FSx::Snapshot": "a snapshot",
    "AWS::FSx::StorageVirtualMachine": "files",
    "AWS::FSx::Volume": "files",
    "AWS::Grafana::Workspace": "dashboards",
    "AWS::KMS::Key": "the key that decrypts its data",
    "AWS::KMS::ReplicaKey": "the key that decrypts its data",
    "AWS::Logs::LogGroup": "logs",
    "AWS::PCS::Cluster": "a cluster, its accounting and the jobs on it",
    "AWS::PCS::ComputeNodeGroup": "nodes and the jobs on them",
    "AWS::RDS::DBCluster": "a database",
    "AWS::RDS::DBInstance": "a database",
    "AWS::S3::Bucket": "objects",
    "AWS::S3Express::DirectoryBucket": "objects",
    "AWS::SageMaker::Cluster": "the cluster, its nodes and the jobs on them",
    # Home directories that nothing else holds are on a file system that is deleted with it.
    "Custom::PclusterCluster": "the cluster, its nodes, the jobs on them and their disks",
    "AWS::SecretsManager::Secret": "a secret",
}

RUNS_JOBS: Final = frozenset(
    {
        "AWS::AutoScaling::AutoScalingGroup",
        "AWS::EC2::Instance",
        "AWS::EKS::Cluster",
        "AWS::EKS::Nodegroup",
        "AWS::PCS::Cluster",
        "AWS::PCS::ComputeNodeGroup",
        "Custom::PclusterCluster",
        CLUSTER,
    }
)
"""Deleting one of them ends the jobs on it."""

HOLDS_NOTHING: Final = frozenset(
    {
        # Written from the spec.
        "AWS::APS::RuleGroupsNamespace",
        # Its metrics are in the workspace.
        "AWS::APS::Scraper",
        "AWS::Budgets::Budget",
        "AWS::CDK::Metadata",
        "AWS::CloudFormation::WaitCondition",
        "AWS::CloudFormation::WaitConditionHandle",
        "AWS::CloudWatch::Alarm",
        "AWS::CloudWatch::Dashboard",
        "AWS::EC2::FlowLog",
        "AWS::EC2::InternetGateway",
        "AWS::EC2::LaunchTemplate",
        "AWS::EC2::NatGateway",
        "AWS::EC2::NetworkAcl",
        "AWS::EC2::NetworkAclEntry",
        "AWS::EC2::PlacementGroup",
        "AWS::EC2::PrefixList",
        "AWS::EC2::Route",
        "AWS::EC2::RouteTable",
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupEgress",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::Subnet",
        "AWS::EC2::SubnetNetworkAclAssociation",
        "AWS::EC2::SubnetRouteTableAssociation",
        "AWS::EC2::VPC",
        "AWS::EC2::VPCCidrBlock",
        "AWS::EC2::VPCDHCPOptionsAssociation",
        "AWS::EC2::VPCEndpoint",
        "AWS::EC2::VPCGatewayAttachment",
        "AWS::EKS::AccessEntry",
        "AWS::EKS::Addon",
        "AWS::EKS::Capability",
        "AWS::EKS::PodIdentityAssociation",
        "AWS::Events::Rule",
        "AWS::FSx::DataRepositoryAssociation",
        "AWS::IAM::InstanceProfile",
        "AWS::IAM::ManagedPolicy",
        "AWS::IAM::OIDCProvider",
        "AWS::IAM::Policy",
        "AWS::IAM::Role",
        "AWS::IAM::RolePolicy",
        "AWS::KMS::Alias",
        "AWS::Lambda::EventSourceMapping",
        "AWS::Lambda::Function",
        "AWS::Lambda::LayerVersion",
        "AWS::Lambda::Permission",
        # Its pending jobs are the controller's, and wait for a queue of the same name.
        "AWS::PCS::Queue",
        "AWS::RDS::DBParameterGroup",
        "AWS::RDS::DBSubnetGroup",
        "AWS::RDS::OptionGroup",
        "AWS::S3::BucketPolicy",
        "AWS::SNS::Subscription",
        "AWS::SNS::Topic",
        "AWS::SNS::TopicPolicy",
        # The queue of Karpenter, which keeps EC2 interruption notices for five minutes.
        "AWS::SQS::Queue",
        "AWS::SQS::QueuePolicy",
        "AWS::SSM::Document",
        "AWS::SageMaker::ClusterSchedulerConfig",
        "AWS::SageMaker::ComputeQuota",
        "AWS::SecretsManager::ResourcePolicy",
        "AWS::SecretsManager::RotationSchedule",
        "AWS::SecretsManager::SecretTargetAttachment",
        "Custom::CDKBucketDeployment",
        "Custom::LogRetention",
        "Custom::S3AutoDeleteObjects",
        "Custom::VpcRestrictDefaultSG",
    }
)
"""Created again from the template alone. An association's data is in bucket and file system."""

KEEPS_ITS_ID: Final = frozenset(
    {
        # `bucket-deployment-handler/index.py` of aws-cdk-lib 2.275.0: only Create sets an id.
        "Custom::CDKBucketDeployment",
        # The cluster's name, which an update may not change (cluster.yaml of the provider).
        "Custom::PclusterCluster",
    }
)
"""Custom resources that an update never replaces; for others their function decides."""

REPLACED_TOO: Final[dict[str, tuple[tuple[Pointer, str], ...]]] = {
    # "Update requires: Replacement" in the documentation, not in the schema.
    FILE_SYSTEM: tuple(
        (pointer, f"{_REFERENCE}/aws-resource-fsx-filesystem.html")
        for pointer in (
            ("StorageType",),
            ("LustreConfiguration", "DeploymentType"),
            ("LustreConfiguration", "DriveCacheType"),
            ("LustreConfiguration", "EfaEnabled"),
            ("LustreConfiguration", "ExportPath"),
            ("LustreConfiguration", "ImportPath"),
            ("LustreConfiguration", "ImportedFileChunkSize"),
            ("OpenZFSConfiguration", "DeploymentType"),
            ("OpenZFSConfiguration", "EndpointIpAddressRange"),
            ("OpenZFSConfiguration", "PreferredSubnetId"),
            ("OpenZFSConfiguration", "RootVolumeConfiguration"),
        )
    ),
    "AWS::KMS::Key": tuple(
        ((name,), f"{_REFERENCE}/aws-resource-kms-key.html")
        for name in ("KeySpec", "KeyUsage", "MultiRegion", "Origin")
    ),
    "AWS::Logs::LogGroup": (
        (("LogGroupClass",), f"{_REFERENCE}/aws-resource-logs-loggroup.html"),
    ),
}

_RDS_INSTANCE: Final = f"{_REFERENCE}/aws-resource-rds-dbinstance.html"

IN_PLACE: Final[dict[tuple[str, str], str]] = {
    # Conditionally create-only in the schema; "Update requires: Some interruptions" (the first:
    # "No interruption") in the documentation, read in awsdocs/aws-cloudformation-user-guide,
    # doc_source/aws-properties-rds-database-instance.md, commit 0466f3a7.
    ("AWS::RDS::DBInstance", "AutoMinorVersionUpgrade"): _RDS_INSTANCE,
    ("AWS::RDS::DBInstance", "BackupRetentionPeriod"): _RDS_INSTANCE,
    ("AWS::RDS::DBInstance", "DBParameterGroupName"): _RDS_INSTANCE,
    ("AWS::RDS::DBInstance", "MultiAZ"): _RDS_INSTANCE,
    ("AWS::RDS::DBInstance", "PerformanceInsightsKMSKeyId"): _RDS_INSTANCE,
    ("AWS::RDS::DBInstance", "PreferredMaintenanceWindow"): _RDS_INSTANCE,
}
"""Conditionally create-only properties that are known to change in place, with the source."""

_RECYCLED: Final = "every node of the group is replaced, some at a time, with the jobs on it"

INTERRUPTS: Final[dict[tuple[str, Pointer], str]] = {
    # "When you update your node group to a different version of your launch template, all nodes
    # in the group are recycled" (EKS user guide, "Customize managed nodes with launch templates");
    # an update to another version of Kubernetes or of the image does the same.
    ("AWS::EKS::Nodegroup", ("LaunchTemplate",)): _RECYCLED,
    ("AWS::EKS::Nodegroup", ("ReleaseVersion",)): _RECYCLED,
    ("AWS::EKS::Nodegroup", ("Version",)): _RECYCLED,
    # "Update requires: Some interruptions" of the same page.
    ("AWS::RDS::DBInstance", ("BackupRetentionPeriod",)): "the database may be interrupted",
    ("AWS::RDS::DBInstance", ("DBInstanceClass",)): "the database is interrupted",
    ("AWS::RDS::DBInstance", ("DBParameterGroupName",)): "the database is restarted",
    ("AWS::RDS::DBInstance", ("CACertificateIdentifier",)): "the database is restarted",
    ("AWS::RDS::DBInstance", ("MonitoringInterval",)): "the database may be interrupted",
    ("AWS::RDS::DBInstance", ("MultiAZ",)): "the database may be interrupted",
    ("AWS::RDS::DBInstance", ("PerformanceInsightsKMSKeyId",)): "the database may be interrupted",
    ("AWS::RDS::DBInstance", ("PreferredMaintenanceWindow",)): "the database may be interrupted",
    ("AWS::RDS::DBInstance", ("StorageType",)): "the database may be interrupted",
}

FIXED_ATTRIBUTES: Final = frozenset(
    {
        # Derived from the file system's id, or set at its creation; UpdateFileSystem keeps both:
        # https://docs.aws.amazon.com/fsx/latest/APIReference/API_FileSystem.html
        (FILE_SYSTEM, "DNSName"),
        (FILE_SYSTEM, "LustreMountName"),
        # The name of an instance changes with its identifier only, which replaces it:
        # https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_RenameInstance.html
        ("AWS::RDS::DBInstance", "Endpoint.Address"),
    }
)
"""Attributes that an update in place keeps."""

DELETION_PROTECTION: Final[dict[str, str]] = {
    "AWS::DynamoDB::Table": "DeletionProtectionEnabled",
    "AWS::EKS::Cluster": "DeletionProtection",
    "AWS::RDS::DBCluster": "DeletionProtection",
    "AWS::RDS::DBInstance": "DeletionProtection",
}
"""Properties that make the service refuse to delete a resource while they are true."""

SNAPSHOT_WITHOUT_POLICY: Final = frozenset({"AWS::RDS::DBCluster", "AWS::RDS::DBInstance"})
"""Types that CloudFormation snapshots where the template has no policy (except instances of a
cluster):
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
"""


def holds(type_name: str, *, kept_by_policy: bool = False) -> str | None:
    """What a resource of a type holds that cannot be created again; None for nothing.

    Unknown types, and types that the template retains, count as holding data.
    """
    known = HOLDS.get(type_name)
    if known is not None:
        return known
    if type_name in HOLDS_NOTHING and not (kept_by_policy and type_name.startswith("Custom::")):
        return None
    return "possibly data: the contents of this type are unknown"
