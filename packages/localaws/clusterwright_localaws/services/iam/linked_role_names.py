"""Service-linked roles by the service's principal: their names and the policies attached to them.

Recorded on AWS: docs/reference/probes.md, source `localstack`. Roles of FSx, PCS, EC2
Spot and HyperPod: the user guides, "Using service-linked roles".
"""

from __future__ import annotations

from typing import Final

LINKED_ROLES: Final = {
    "accountdiscovery.ssm": (
        "AmazonSSM_AccountDiscovery",
        "AWSSystemsManagerAccountDiscoveryServicePolicy",
    ),
    "acm": ("CertificateManager", "CertificateManagerServiceRolePolicy"),
    "appmesh": ("AppMesh", "AWSAppMeshServiceRolePolicy"),
    "autoscaling-plans": (
        "AutoScalingPlans_EC2AutoScaling",
        "AWSAutoScalingPlansEC2AutoScalingPolicy",
    ),
    "autoscaling": ("AutoScaling", "AutoScalingServiceRolePolicy"),
    "backup": ("Backup", "AWSBackupServiceLinkedRolePolicyForBackup"),
    "batch": ("Batch", "BatchServiceRolePolicy"),
    "cassandra.application-autoscaling": (
        "ApplicationAutoScaling_CassandraTable",
        "AWSApplicationAutoscalingCassandraTablePolicy",
    ),
    "cks.kms": (
        "KeyManagementServiceCustomKeyStores",
        "AWSKeyManagementServiceCustomKeyStoresServiceRolePolicy",
    ),
    "cloudtrail": ("CloudTrail", "CloudTrailServiceRolePolicy"),
    "codestar-notifications": (
        "CodeStarNotifications",
        "AWSCodeStarNotificationsServiceRolePolicy",
    ),
    "config": ("Config", "AWSConfigServiceRolePolicy"),
    "connect": ("AmazonConnect", "AmazonConnectServiceLinkedRolePolicy"),
    "dms-fleet-advisor": ("DMSFleetAdvisor", "AWSDMSFleetAdvisorServiceRolePolicy"),
    "dms": ("DMSServerless", "AWSDMSServerlessServiceRolePolicy"),
    "docdb-elastic": ("DocDB-Elastic", "AmazonDocDB-ElasticServiceRolePolicy"),
    "ec2-instance-connect": ("Ec2InstanceConnect", "Ec2InstanceConnectEndpoint"),
    "ec2.application-autoscaling": (
        "ApplicationAutoScaling_EC2SpotFleetRequest",
        "AWSApplicationAutoscalingEC2SpotFleetRequestPolicy",
    ),
    "ecr": ("ECRTemplate", "ECRTemplateServiceRolePolicy"),
    "ecs": ("ECS", "AmazonECSServiceRolePolicy"),
    "eks-connector": ("AmazonEKSConnector", "AmazonEKSConnectorServiceRolePolicy"),
    "eks-fargate": ("AmazonEKSForFargate", "AmazonEKSForFargateServiceRolePolicy"),
    "eks-nodegroup": ("AmazonEKSNodegroup", "AWSServiceRoleForAmazonEKSNodegroup"),
    "eks": ("AmazonEKS", "AmazonEKSServiceRolePolicy"),
    "elasticache": ("ElastiCache", "ElastiCacheServiceRolePolicy"),
    "elasticbeanstalk": ("ElasticBeanstalk", "AWSElasticBeanstalkServiceRolePolicy"),
    "elasticfilesystem": ("AmazonElasticFileSystem", "AmazonElasticFileSystemServiceRolePolicy"),
    "elasticloadbalancing": ("ElasticLoadBalancing", "AWSElasticLoadBalancingServiceRolePolicy"),
    "email.cognito-idp": (
        "AmazonCognitoIdpEmailService",
        "AmazonCognitoIdpEmailServiceRolePolicy",
    ),
    "emr-containers": ("AmazonEMRContainers", "AmazonEMRContainersServiceRolePolicy"),
    "emrwal": ("EMRWAL", "EMRDescribeClusterPolicyForEMRWAL"),
    "fis": ("FIS", "AmazonFISServiceRolePolicy"),
    "fsx": ("AmazonFSx", "AmazonFSxServiceRolePolicy"),
    "grafana": ("AmazonGrafana", "AmazonGrafanaServiceLinkedRolePolicy"),
    "imagebuilder": ("ImageBuilder", "AWSServiceRoleForImageBuilder"),
    "hyperpod.sagemaker": ("SageMakerHyperPod", "AmazonSageMakerHyperPodServiceRolePolicy"),
    "iotmanagedintegrations": ("IoTManagedIntegrations", "AWSIoTManagedIntegrationsRolePolicy"),
    "kafka": ("Kafka", "KafkaServiceRolePolicy"),
    "kafkaconnect": ("KafkaConnect", "KafkaConnectServiceRolePolicy"),
    "lakeformation": ("LakeFormationDataAccess", "LakeFormationDataAccessServiceRolePolicy"),
    "lex": ("LexBots", "AmazonLexBotPolicy"),
    "lexv2": ("LexV2Bots", "AmazonLexV2BotPolicy"),
    "lightsail": ("Lightsail", "LightsailExportAccess"),
    "m2": ("AWSM2", "AWSM2ServicePolicy"),
    "memorydb": ("MemoryDB", "MemoryDBServiceRolePolicy"),
    "mq": ("AmazonMQ", "AmazonMQServiceRolePolicy"),
    "mrk.kms": (
        "KeyManagementServiceMultiRegionKeys",
        "AWSKeyManagementServiceMultiRegionKeysServiceRolePolicy",
    ),
    "notifications": ("AwsUserNotifications", "AWSUserNotificationsServiceLinkedRolePolicy"),
    "observability.aoss": (
        "AmazonOpenSearchServerless",
        "AmazonOpenSearchServerlessServiceRolePolicy",
    ),
    "opensearchservice": ("AmazonOpenSearchService", "AmazonOpenSearchServiceRolePolicy"),
    "ops.apigateway": ("APIGateway", "APIGatewayServiceRolePolicy"),
    "ops.emr-serverless": ("AmazonEMRServerless", "AmazonEMRServerlessServiceRolePolicy"),
    "opsdatasync.ssm": (
        "SystemsManagerOpsDataSync",
        "AWSSystemsManagerOpsDataSyncServiceRolePolicy",
    ),
    "opsinsights.ssm": ("AmazonSSM_OpsInsights", "AWSSSMOpsInsightsServiceRolePolicy"),
    "pcs": ("PCS", "AWSPCSServiceRolePolicy"),
    "pullthroughcache.ecr": ("ECRPullThroughCache", "AWSECRPullThroughCache_ServiceRolePolicy"),
    "ram": ("ResourceAccessManager", "AWSResourceAccessManagerServiceRolePolicy"),
    "rds": ("RDS", "AmazonRDSServiceRolePolicy"),
    "redshift": ("Redshift", "AmazonRedshiftServiceLinkedRolePolicy"),
    "replication.cassandra": ("KeyspacesReplication", "KeyspacesReplicationServiceRolePolicy"),
    "replication.ecr": ("ECRReplication", "ECRReplicationServiceRolePolicy"),
    "repository.sync.codeconnections": ("GitSync", "AWSGitSyncServiceRolePolicy"),
    "resource-explorer-2": ("ResourceExplorer", "AWSResourceExplorerServiceRolePolicy"),
    "rolesanywhere": ("RolesAnywhere", "AWSRolesAnywhereServicePolicy"),
    "s3-outposts": ("S3OnOutposts", "AWSS3OnOutpostsServiceRolePolicy"),
    "ses": ("AmazonSES", "AmazonSESServiceRolePolicy"),
    "shield": ("AWSShield", "AWSShieldServiceRolePolicy"),
    "spot": ("EC2Spot", "AWSEC2SpotServiceRolePolicy"),
    "spotfleet": ("EC2SpotFleet", "AWSEC2SpotFleetServiceRolePolicy"),
    "ssm-incidents": ("IncidentManager", "AWSIncidentManagerServiceRolePolicy"),
    "ssm-quicksetup": ("SSMQuickSetup", "SSMQuickSetupRolePolicy"),
    "ssm": ("AmazonSSM", "AmazonSSMServiceRolePolicy"),
    "sso": ("SSO", "AWSSSOServiceRolePolicy"),
    "vpcorigin.cloudfront": ("CloudFrontVPCOrigin", "AWSCloudFrontVPCOriginServiceRolePolicy"),
    "waf": ("WAFLogging", "WAFLoggingServiceRolePolicy"),
    "wafv2": ("WAFV2Logging", "WAFV2LoggingServiceRolePolicy"),
}
"""The part of the role's name after `AWSServiceRoleFor`, and the policy in `/aws-service-role/`,
by the principal without `.amazonaws.com`."""

DESCRIPTIONS: Final = {
    "rds": "Allows Amazon RDS to manage AWS resources on your behalf",
    "ssm": "Provides access to AWS Resources managed or used by Amazon SSM.",
    "sso": (
        "Service-linked role used by AWS SSO to manage AWS resources, including IAM roles, "
        "policies and SAML IdP on your behalf."
    ),
}
"""Descriptions that AWS gives to a role whose request has none."""

WITH_SUFFIX: Final = frozenset({"autoscaling", "connect", "lexv2"})
"""Services that were seen to take a custom suffix. The other recorded ones refuse it."""

UNRECORDED: Final = frozenset({"fsx", "hyperpod.sagemaker", "pcs", "spot", "spotfleet"})
"""Services whose answer to a custom suffix is not recorded: it is accepted."""
