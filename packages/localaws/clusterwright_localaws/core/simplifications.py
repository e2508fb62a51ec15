"""What the local AWS does not examine, so that a call succeeds here and may fail on AWS.

The server says so when it answers such a call: once in its log, and in each line of `--record`.
`docs/explanations/local-aws-differences.md` has all differences; here are those that can make
a check or a deployment pass wrongly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.worlds.model import World

Parameters = Mapping[str, Any]


@dataclass(frozen=True)
class Simplification:
    """Calls, and what is not examined when they are answered.

    `members` are dotted paths of which the call must have one, through lists; without them every
    call counts. `unless_enforced`: not in worlds with `iam: enforced`. `noted`: only where the
    operation itself said so (`note`), since it depends on values.
    """

    service: str
    operations: tuple[str, ...]
    text: str
    members: tuple[str, ...] = ()
    unless_enforced: bool = False
    noted: bool = False

    def applies(self, parameters: Parameters, world: World, noted: Collection[str] = ()) -> bool:
        if self.noted and self.text not in noted:
            return False
        if self.unless_enforced and world.iam == "enforced":
            return False
        return not self.members or any(
            _has(parameters, member.split(".")) for member in self.members
        )


def _has(value: Any, keys: list[str]) -> bool:
    if isinstance(value, list):
        return any(_has(item, keys) for item in value)
    if not keys:
        return value not in (None, "", {}, False)
    return isinstance(value, Mapping) and _has(value.get(keys[0]), keys[1:])


_NOTES: ContextVar[list[str] | None] = ContextVar("notes", default=None)


@contextmanager
def notes() -> Iterator[list[str]]:
    """Collect what operations note while they answer one call."""
    found: list[str] = []
    token = _NOTES.set(found)
    try:
        yield found
    finally:
        _NOTES.reset(token)


def note(text: str) -> None:
    """Note that a simplification, a row with `noted`, applies to the call that is answered."""
    found = _NOTES.get()
    if found is not None:
        found.append(text)


DATABASE_VERSIONS: Final = "the engine need not have the version, which is not known here"
UNKNOWN_IMAGE: Final = "the image need not exist, if it is not one that is known here"
IMAGE_PARAMETERS: Final = (
    "of values of parameters of type AWS::EC2::Image::Id only the form is examined"
)
ENDPOINT_SERVICES: Final = (
    "a service of a provider, or one that the list of AWS's services here lacks, need not exist"
)
HOSTED_ZONE_PARAMETERS: Final = (
    "values of parameters of type AWS::Route53::HostedZone::Id need not exist"
)

SIMPLIFICATIONS: Final = (
    Simplification(
        "sts",
        ("AssumeRole", "AssumeRoleWithSAML", "AssumeRoleWithWebIdentity"),
        "the trust policy is not evaluated (AssumeRole: with `iam: enforced` it is)",
        unless_enforced=True,
    ),
    Simplification(
        "ec2",
        ("CreateVpcEndpoint", "ModifyVpcEndpoint"),
        "the policy of the endpoint is not evaluated",
        ("PolicyDocument",),
    ),
    Simplification("ec2", ("RunInstances",), UNKNOWN_IMAGE, noted=True),
    Simplification(
        "ec2",
        ("CreateVpcEndpoint",),
        ENDPOINT_SERVICES,
        noted=True,
    ),
    Simplification("ssm", ("SendCommand",), "no command is run; every invocation succeeds"),
    Simplification("kms", ("CreateGrant",), "grants are not evaluated"),
    Simplification(
        "kms",
        ("CreateKey", "PutKeyPolicy", "ReplicateKey"),
        "the caller's own permission to change the policy again is not examined",
        ("Policy",),
        unless_enforced=True,
    ),
    Simplification(
        "lambda",
        ("AddPermission", "AddLayerVersionPermission"),
        "policies of Lambda functions are not evaluated",
    ),
    Simplification(
        "s3",
        ("PutBucketAcl", "PutObjectAcl"),
        "access control lists are kept and not evaluated",
    ),
    Simplification(
        "s3",
        ("PutBucketNotificationConfiguration",),
        "policies of the queues and topics are not examined",
        (
            "NotificationConfiguration.QueueConfigurations",
            "NotificationConfiguration.TopicConfigurations",
        ),
    ),
    Simplification(
        "s3",
        ("PutBucketLifecycleConfiguration",),
        "the order of transitions between storage classes is not examined",
        ("LifecycleConfiguration.Rules.Transitions.StorageClass",),
    ),
    Simplification(
        "ssm",
        ("PutParameter",),
        "parameter policies are not examined and have no effect",
        ("Policies",),
    ),
    Simplification(
        "logs",
        ("FilterLogEvents", "PutMetricFilter", "PutSubscriptionFilter"),
        "of the filter pattern only the closing bracket is examined",
        ("filterPattern",),
    ),
    Simplification(
        "cloudwatch",
        ("PutMetricAlarm",),
        "expressions and the actions' ARNs are not examined",
        ("Metrics.Expression", "AlarmActions", "OKActions", "InsufficientDataActions"),
    ),
    Simplification(
        "sns",
        ("CreateTopic",),
        "a standard topic takes attributes of FIFO topics",
        ("Attributes",),
    ),
    Simplification(
        "sagemaker",
        ("CreateCluster", "UpdateCluster"),
        "the custom image need not exist, and its nodes are not started from it",
        ("InstanceGroups.ImageId",),
    ),
    Simplification(
        "sagemaker",
        ("CreateCluster", "UpdateCluster"),
        "autoscaling, tiered storage, restricted groups and Kubernetes settings have no effect",
        (
            "AutoScaling",
            "TieredStorageConfig",
            "RestrictedInstanceGroups",
            "InstanceGroups.KubernetesConfig",
        ),
    ),
    Simplification(
        "sagemaker",
        ("UpdateClusterSoftware", "UpdateCluster"),
        "scheduled and automatic updates are stored and never run",
        (
            "InstanceGroups.ScheduledUpdateConfig",
            "InstanceGroups.AutoPatchConfig",
        ),
    ),
    Simplification(
        "eks",
        ("CreateAddon", "UpdateAddon"),
        "the configuration and the version of the add-on are not compared with its schema",
        (
            "configurationValues",
            "addonVersion",
        ),
    ),
    Simplification(
        "eks",
        ("CreateNodegroup",),
        "whether nodes of the launch template's image can join the cluster is not examined",
        ("launchTemplate",),
    ),
    Simplification(
        "eks",
        ("CreateNodegroup", "UpdateNodegroupVersion"),
        "the release of the image need not exist",
        ("releaseVersion",),
    ),
    Simplification(
        "eks",
        ("CreateNodegroup",),
        "whether the type of the image has drivers for accelerators of the instances is not "
        "examined",
        ("amiType",),
    ),
    Simplification(
        "eks",
        ("CreateNodegroup",),
        "the key pair need not exist",
        ("remoteAccess.ec2SshKey",),
    ),
    Simplification(
        "eks",
        ("CreateAccessEntry",),
        "access entries are not evaluated: there is no Kubernetes API",
    ),
    Simplification(
        "pcs",
        ("CreateCluster",),
        "the rules of the cluster's security groups are not examined",
    ),
    Simplification(
        "pcs",
        ("CreateCluster", "UpdateCluster", "CreateComputeNodeGroup", "UpdateComputeNodeGroup"),
        "values of custom Slurm settings are not compared with Slurm's formats",
        ("slurmConfiguration.slurmCustomSettings",),
    ),
    Simplification(
        "fsx",
        ("CreateDataRepositoryAssociation",),
        "no object is imported or exported",
    ),
    Simplification(
        "amp",
        (
            *("CreateRuleGroupsNamespace", "PutRuleGroupsNamespace"),
            *("CreateAlertManagerDefinition", "PutAlertManagerDefinition"),
        ),
        "rules and alert managers are stored and not evaluated",
    ),
    Simplification(
        "amp",
        ("CreateScraper", "UpdateScraper"),
        "of the scrape configuration only the names of jobs are examined; nothing is collected",
    ),
    Simplification(
        "events",
        ("PutTargets",),
        "policies of queues are not examined, and few services here send events",
    ),
    Simplification(
        "rds",
        ("CreateDBInstance", "CreateDBCluster", "ModifyDBInstance"),
        "no database runs: its parameters and passwords are not used",
    ),
    Simplification(
        "rds",
        ("CreateDBInstance", "ModifyDBInstance"),
        "the engine and the Region need not have the class of the instance",
        ("DBInstanceClass",),
    ),
    Simplification(
        "rds",
        ("CreateDBCluster", "CreateDBInstance", "ModifyDBInstance"),
        DATABASE_VERSIONS,
        noted=True,
    ),
    Simplification(
        "logs",
        ("CreateLogGroup", "AssociateKmsKey"),
        "the policy of a key of another account is not examined",
        ("kmsKeyId",),
    ),
    Simplification(
        "cloudformation",
        ("CreateChangeSet",),
        "existing resources are not imported",
        ("ImportExistingResources",),
    ),
    *(
        Simplification(
            "cloudformation", ("CreateChangeSet", "CreateStack", "UpdateStack"), text, noted=True
        )
        for text in (IMAGE_PARAMETERS, HOSTED_ZONE_PARAMETERS)
    ),
    Simplification(
        "budgets",
        ("CreateNotification", "CreateSubscriber"),
        "no notification is sent",
    ),
)


def warnings_of(
    service: str,
    operation: str,
    parameters: Parameters,
    world: World,
    noted: Collection[str] = (),
) -> list[str]:
    """What was not examined when this call succeeded; `noted`: what its operation noted."""
    return [
        one.text
        for one in SIMPLIFICATIONS
        if one.service == service
        and operation in one.operations
        and one.applies(parameters, world, noted)
    ]
