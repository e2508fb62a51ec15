"""Resources for every paginator of an implemented operation: at least two of each."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import ClientError

from packages.localaws.tests.parts import Site, client, deploy
from packages.localaws.tests.pcs_parts import add_pcs

Key = tuple[str, str]
# Extensions of HyperPod clusters and their versions, in the world of the tests.
EXTENSIONS = {"sagemaker-observability": ["1.0.0"], "second-extension": ["1.0.0", "1.1.0"]}
_RUNS: dict[str, Any] = {"Type": "AWS::Logs::LogGroup"}


class Scenes(Mapping[Key, Mapping[str, Any]]):
    """The request of each operation; its resources are created on first use."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._made: dict[str, Any] = {}

    def __getitem__(self, key: Key) -> Mapping[str, Any]:
        return KNOWN[key](self)

    def __iter__(self) -> Any:
        return iter(KNOWN)

    def __len__(self) -> int:
        return len(KNOWN)

    def once(self, name: str, make: Callable[[Site], Any]) -> Any:
        if name not in self._made:
            self._made[name] = make(self._site)
        return self._made[name]


@functools.cache
def scenes(site: Site) -> Scenes:
    """The test data of a site; created resources are kept."""
    return Scenes(site)


def _stacks(site: Site) -> dict[str, str]:
    groups = {
        name: _RUNS | {"Properties": {"LogGroupName": f"pages-{name}"}} for name in ("A", "B")
    }
    exports = {
        name: {"Value": name, "Export": {"Name": f"export-{name}"}} for name in ("one", "two")
    }
    deploy("pages-exporter", groups, Outputs=exports)
    parameter: dict[str, Any] = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String"}}
    for number in (1, 2):
        imported = {**parameter["Properties"], "Value": {"Fn::ImportValue": "export-one"}}
        deploy(f"pages-importer-{number}", {"P": {**parameter, "Properties": imported}})
    cloudformation = client("cloudformation")
    changed = {
        name: _RUNS | {"Properties": {"LogGroupName": f"pages-{name}", "RetentionInDays": 7}}
        for name in ("A", "B")
    }
    body = json.dumps({"Resources": changed, "Outputs": exports})
    for number in (1, 2):
        cloudformation.create_change_set(
            StackName="pages-exporter", ChangeSetName=f"change-{number}", TemplateBody=body
        )
        cloudformation.get_waiter("change_set_create_complete").wait(
            StackName="pages-exporter",
            ChangeSetName=f"change-{number}",
            WaiterConfig={"Delay": 1, "MaxAttempts": 20},
        )
    return {"StackName": "pages-exporter"}


def _clusters(site: Site) -> str:
    for number in (1, 2):
        site.create(
            site.group("gpu", 3), name=f"pages-{number}", NodeProvisioningMode="Continuous"
        )
    arn: str = client("sagemaker").describe_cluster(ClusterName="pages-1")["ClusterArn"]
    tags = [{"Key": f"k{n}", "Value": "v"} for n in range(3)]
    client("sagemaker").add_tags(ResourceArn=arn, Tags=tags)
    return arn


def _plans(site: Site) -> None:
    sagemaker = client("sagemaker")
    for number in (1, 2):
        offering = sagemaker.search_training_plan_offerings(
            InstanceType="ml.p5.48xlarge",
            InstanceCount=1,
            DurationHours=24,
            TargetResources=["hyperpod-cluster"],
        )["TrainingPlanOfferings"][0]
        sagemaker.create_training_plan(
            TrainingPlanName=f"pages-{number}",
            TrainingPlanOfferingId=offering["TrainingPlanOfferingId"],
        )


def _extensions(site: Site) -> None:
    ec2 = client("ec2")
    for block in ec2.describe_capacity_blocks()["CapacityBlocks"]:
        reservation = block["CapacityReservationIds"][0]
        offering = ec2.describe_capacity_block_extension_offerings(
            CapacityReservationId=reservation, CapacityBlockExtensionDurationHours=24
        )["CapacityBlockExtensionOfferings"][0]
        ec2.purchase_capacity_block_extension(
            CapacityReservationId=reservation,
            CapacityBlockExtensionOfferingId=offering["CapacityBlockExtensionOfferingId"],
        )


def _copies(site: Site) -> None:
    fsx = client("fsx")
    volume = fsx.describe_volumes()["Volumes"][0]
    for number in (1, 2):
        fsx.create_backup(FileSystemId=volume["FileSystemId"])
        fsx.create_snapshot(Name=f"s{number}", VolumeId=volume["VolumeId"])


def _budgets(site: Site) -> None:
    budgets = client("budgets")
    subscribers = [
        {"SubscriptionType": "EMAIL", "Address": f"{name}@acme.example"} for name in ("a", "b")
    ]
    for name in ("pages", "others"):
        budgets.create_budget(
            AccountId=_ACCOUNT,
            Budget={
                "BudgetName": name,
                "BudgetType": "COST",
                "TimeUnit": "MONTHLY",
                "BudgetLimit": {"Amount": "10", "Unit": "USD"},
            },
            NotificationsWithSubscribers=[
                {
                    "Notification": _NOTIFICATION | {"Threshold": number},
                    "Subscribers": subscribers,
                }
                for number in (80.0, 100.0)
            ],
        )


def _budget_actions(site: Site) -> None:
    budgets = client("budgets")
    for name in ("actions-1", "actions-2"):
        limit = {"Amount": "10", "Unit": "USD"}
        budget = {"BudgetName": name, "BudgetType": "COST", "TimeUnit": "MONTHLY"}
        budgets.create_budget(AccountId=_ACCOUNT, Budget={**budget, "BudgetLimit": limit})
        policy = {"PolicyArn": f"arn:aws:iam::{_ACCOUNT}:policy/stop", "Roles": ["deployer"]}
        budgets.create_budget_action(
            AccountId=_ACCOUNT,
            BudgetName=name,
            NotificationType="ACTUAL",
            ActionType="APPLY_IAM_POLICY",
            ActionThreshold={"ActionThresholdValue": 90, "ActionThresholdType": "PERCENTAGE"},
            Definition={"IamActionDefinition": policy},
            ExecutionRoleArn=site.role_arn,
            ApprovalModel="AUTOMATIC",
            Subscribers=[{"SubscriptionType": "EMAIL", "Address": "ml@acme.example"}],
        )


def _grafana(site: Site) -> str:
    grafana = client("grafana")
    found = ""
    for name in ("one", "two"):
        found = grafana.create_workspace(
            accountAccessType="CURRENT_ACCOUNT",
            authenticationProviders=["AWS_SSO"],
            permissionType="SERVICE_MANAGED",
            workspaceName=name,
            workspaceRoleArn=site.role_arn,
        )["workspace"]["id"]
    for name in ("a", "b"):
        account = grafana.create_workspace_service_account(
            grafanaRole="ADMIN", name=name, workspaceId=found
        )["id"]
    for name in ("t", "u"):
        grafana.create_workspace_service_account_token(
            name=name, secondsToLive=60, serviceAccountId=account, workspaceId=found
        )
    return f"{found} {account}"


def _extended_plan(scenes: Scenes) -> Mapping[str, Any]:
    scenes.once("plans", _plans)
    return {"TrainingPlanArn": scenes.once("longer plan", _extend_plan)}


def _extend_plan(site: Site) -> str:
    sagemaker = client("sagemaker")
    arn: str = sagemaker.list_training_plans()["TrainingPlanSummaries"][0]["TrainingPlanArn"]
    for _ in range(2):
        found = sagemaker.search_training_plan_offerings(TrainingPlanArn=arn, DurationHours=24)
        sagemaker.extend_training_plan(
            TrainingPlanExtensionOfferingId=found["TrainingPlanExtensionOfferings"][0][
                "TrainingPlanExtensionOfferingId"
            ]
        )
    return arn


def _file_systems(site: Site) -> tuple[str, str]:
    fsx = client("fsx")
    made = [
        fsx.create_file_system(
            FileSystemType="OPENZFS",
            StorageCapacity=64,
            SubnetIds=[site.subnet_id],
            Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}],
            OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64},
        )["FileSystem"]
        for _ in range(2)
    ]
    return made[0]["FileSystemId"], made[0]["ResourceARN"]


def _requests(site: Site) -> None:
    quotas = client("service-quotas")
    for value in (20_000, 30_000):
        # AWS allows one pending request per quota; the history keeps both.
        with contextlib.suppress(ClientError):
            quotas.request_service_quota_increase(
                ServiceCode="sagemaker", QuotaCode="L-8762A75F", DesiredValue=value
            )
    quotas.request_service_quota_increase(
        ServiceCode="sagemaker", QuotaCode="L-6865522E", DesiredValue=20_000
    )


def _reservations(site: Site) -> None:
    for _ in range(6):
        client("ec2").create_capacity_reservation(
            InstanceType="m5.large",
            InstancePlatform="Linux/UNIX",
            AvailabilityZone="us-east-1a",
            InstanceCount=1,
        )


def _asks(**parameters: Any) -> Callable[[Scenes], Mapping[str, Any]]:
    return lambda scenes: parameters


def _needs(
    name: str, make: Callable[[Site], Any], /, **parameters: Any
) -> Callable[[Scenes], Mapping[str, Any]]:
    def ask(scenes: Scenes) -> Mapping[str, Any]:
        scenes.once(name, make)
        return parameters

    return ask


def _cluster_arn(scenes: Scenes) -> Mapping[str, Any]:
    return {"ResourceArn": scenes.once("clusters", _clusters)}


def _scaled(scenes: Scenes) -> Mapping[str, Any]:
    scenes.once("clusters", _clusters)
    scenes.once("scalings", _scalings)
    return {"ClusterName": "pages-2"}


def _scalings(site: Site) -> None:
    for _ in range(2):
        client("sagemaker").batch_add_cluster_nodes(
            ClusterName="pages-2",
            NodesToAdd=[{"InstanceGroupName": "gpu", "IncrementTargetCountBy": 1}],
        )


def _extended_cluster(scenes: Scenes) -> Mapping[str, Any]:
    arn = scenes.once("clusters", _clusters)
    scenes.once("cluster extensions", _cluster_extensions)
    return {"ClusterArn": arn}


def _cluster_extensions(site: Site) -> None:
    arn = client("sagemaker").describe_cluster(ClusterName="pages-1")["ClusterArn"]
    for name in EXTENSIONS:
        client("sagemaker").create_cluster_extension(ClusterArn=arn, ExtensionName=name)


def _file_system_arn(scenes: Scenes) -> Mapping[str, Any]:
    return {"ResourceARN": scenes.once("file systems", _file_systems)[1]}


def _instances(site: Site) -> None:
    ec2 = client("ec2")
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    ec2.run_instances(
        ImageId=image,
        InstanceType="p5.48xlarge",
        MinCount=2,
        MaxCount=2,
        SubnetId=site.subnet_id,
    )


_DAY = 24


def _blocks(site: Site) -> str:
    ec2 = client("ec2")
    found = ""
    for _ in range(2):
        offerings = ec2.describe_capacity_block_offerings(**_BLOCK)["CapacityBlockOfferings"]
        # The first one may end at 11:30 today, too soon for an extension.
        offering = next(item for item in offerings if item["CapacityBlockDurationHours"] >= _DAY)
        bought = ec2.purchase_capacity_block(
            CapacityBlockOfferingId=offering["CapacityBlockOfferingId"],
            InstancePlatform="Linux/UNIX",
        )
        found = bought["CapacityReservation"]["CapacityReservationId"]
    return found


def _eks(site: Site) -> None:
    eks, ec2 = client("eks"), client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.9.{n}.0/24", AvailabilityZoneId=zone)[
            "Subnet"
        ]["SubnetId"]
        for n, zone in enumerate(("use1-az6", "use1-az1"))
    ]
    services = [
        "eks.amazonaws.com",
        "ec2.amazonaws.com",
        "pods.eks.amazonaws.com",
        "capabilities.eks.amazonaws.com",
    ]
    trust = {"Effect": "Allow", "Principal": {"Service": services}, "Action": _TRUSTED}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    roles = [
        client("iam").create_role(RoleName=f"eks-{n}", AssumeRolePolicyDocument=document)["Role"][
            "Arn"
        ]
        for n in range(3)
    ]
    for name in ("one", "two"):
        eks.create_cluster(
            name=name,
            roleArn=roles[0],
            resourcesVpcConfig={"subnetIds": subnets},
            accessConfig={"authenticationMode": "API"},
        )
    for name in ("vpc-cni", "eks-pod-identity-agent"):
        eks.create_addon(clusterName="one", addonName=name)
    for role in roles[1:]:
        eks.create_access_entry(clusterName="one", principalArn=role)
        eks.create_pod_identity_association(
            clusterName="one", namespace="train", serviceAccount=role[-1], roleArn=role
        )
    for name in ("AmazonEKSAdminPolicy", "AmazonEKSViewPolicy"):
        eks.associate_access_policy(
            clusterName="one",
            principalArn=roles[1],
            policyArn=f"arn:aws:eks::aws:cluster-access-policy/{name}",
            accessScope={"type": "cluster"},
        )
    for name in ("a", "b"):
        eks.create_nodegroup(
            clusterName="one", nodegroupName=name, subnets=subnets, nodeRole=roles[0]
        )
    for kind in ("ACK", "KRO"):
        eks.create_capability(
            clusterName="one",
            capabilityName=kind.lower(),
            type=kind,
            roleArn=roles[0],
            deletePropagationPolicy="RETAIN",
        )
    for log in ("api", "audit"):
        logging = {"clusterLogging": [{"types": [log], "enabled": True}]}
        eks.update_cluster_config(name="one", logging=logging)


def _governed(scenes: Scenes) -> Mapping[str, Any]:
    scenes.once("eks", _eks)
    scenes.once("governed", _policies)
    return {}


def _policies(site: Site) -> None:
    sagemaker = client("sagemaker")
    orchestrator = client("eks").describe_cluster(name="one")["cluster"]
    network = orchestrator["resourcesVpcConfig"]
    group = site.group("gpu", 1)
    del group["SlurmConfig"]
    made = sagemaker.create_cluster(
        ClusterName="governed",
        InstanceGroups=[group],
        Orchestrator={"Eks": {"ClusterArn": orchestrator["arn"]}},
        VpcConfig={
            "Subnets": network["subnetIds"][:1],
            "SecurityGroupIds": [network["clusterSecurityGroupId"]],
        },
    )["ClusterArn"]
    for number in (1, 2):
        sagemaker.create_compute_quota(
            Name=f"quota-{number}",
            ClusterArn=made,
            ComputeQuotaConfig={
                "ComputeQuotaResources": [{"InstanceType": "ml.p5.48xlarge", "Count": 1}]
            },
            ComputeQuotaTarget={"TeamName": f"team-{number}"},
        )
    sagemaker.create_cluster_scheduler_config(
        Name="policy",
        ClusterArn=made,
        SchedulerConfig={"PriorityClasses": [{"Name": "training", "Weight": 90}]},
    )


_ACCOUNT = "123456789012"
_NOTIFICATION: dict[str, Any] = {
    "NotificationType": "ACTUAL",
    "ComparisonOperator": "GREATER_THAN",
    "ThresholdType": "PERCENTAGE",
}
_TRUSTED = ["sts:AssumeRole", "sts:TagSession"]
_BLOCK = {"InstanceType": "p5.48xlarge", "InstanceCount": 1, "CapacityDurationHours": 24}
_IN_STACK = {"StackName": "pages-exporter"}
_ANY = json.dumps(
    {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
)
_P5 = {"ServiceCode": "sagemaker", "QuotaCode": "L-8762A75F"}


def _eks_scene(**parameters: Any) -> Callable[[Scenes], Mapping[str, Any]]:
    return _needs("eks", _eks, **parameters)


def _scrapers(site: Site) -> None:
    del site
    amp, eks = client("amp"), client("eks")
    eks.update_cluster_config(name="one", resourcesVpcConfig={"endpointPrivateAccess": True})
    cluster = eks.describe_cluster(name="one")["cluster"]
    source = {
        "clusterArn": cluster["arn"],
        "subnetIds": cluster["resourcesVpcConfig"]["subnetIds"],
    }
    workspace = amp.create_workspace()["arn"]
    for name in ("a", "b"):
        amp.create_scraper(
            alias=name,
            scrapeConfiguration={"configurationBlob": b"scrape_configs: [{job_name: a}]"},
            source={"eksConfiguration": source},
            destination={"ampConfiguration": {"workspaceArn": workspace}},
        )


def _alerting(site: Site) -> str:
    del site
    amp = client("amp")
    workspace = str(amp.create_workspace(alias="rules")["workspaceId"])
    for name in ("gpus", "nodes"):
        amp.create_rule_groups_namespace(workspaceId=workspace, name=name, data=b"groups: []")
    return workspace


def _ruled(scenes: Scenes) -> Mapping[str, Any]:
    return {"workspaceId": scenes.once("rules", _alerting)}


def _pcs(site: Site) -> None:
    pcs = add_pcs(site)
    for name in ("train", "other"):
        pcs.create(name)
    for name in ("workers", "more"):
        pcs.create_group(name)
        pcs.create_queue(name, name)


def _scraped(scenes: Scenes) -> Mapping[str, Any]:
    scenes.once("eks", _eks)
    scenes.once("scrapers", _scrapers)
    return {}


def _in_grafana(*names: str) -> Callable[[Scenes], Mapping[str, Any]]:
    def ask(scenes: Scenes) -> Mapping[str, Any]:
        return dict(zip(names, scenes.once("grafana", _grafana).split(), strict=False))

    return ask


def _copied(scenes: Scenes) -> Mapping[str, Any]:
    scenes.once("file systems", _file_systems)
    scenes.once("copies", _copies)
    return {}


def _extended(scenes: Scenes) -> Mapping[str, Any]:
    scenes.once("blocks", _blocks)
    scenes.once("extensions", _extensions)
    return {}


def _extension(scenes: Scenes) -> Mapping[str, Any]:
    block = scenes.once("blocks", _blocks)
    return {"CapacityReservationId": block, "CapacityBlockExtensionDurationHours": 24}


def _grants(site: Site) -> str:
    del site
    kms = client("kms")
    key = str(kms.create_key()["KeyMetadata"]["KeyId"])
    for name in ("one", "two"):
        kms.create_grant(
            KeyId=key,
            Name=name,
            GranteePrincipal=f"arn:aws:iam::{_ACCOUNT}:root",
            Operations=["Decrypt"],
        )
    return key


def _granted(scenes: Scenes) -> Mapping[str, Any]:
    return {"KeyId": scenes.once("grants", _grants)}


def _uploads(site: Site) -> dict[str, Any]:
    del site
    s3 = client("s3")
    s3.create_bucket(Bucket="pages-of-parts")
    upload = {"Bucket": "pages-of-parts", "Key": "key"}
    upload["UploadId"] = s3.create_multipart_upload(**upload)["UploadId"]
    for number in (1, 2, 3):
        s3.upload_part(**upload, PartNumber=number, Body=b"part")
    return upload


def _uploaded(scenes: Scenes) -> Mapping[str, Any]:
    upload: dict[str, Any] = scenes.once("uploads", _uploads)
    return upload


def _logs(site: Site) -> None:
    del site
    logs = client("logs")
    for name in ("pages/a", "pages/b"):
        logs.create_log_group(logGroupName=name)
        for stream in ("one", "two"):
            logs.create_log_stream(logGroupName=name, logStreamName=stream)
    events = [{"timestamp": int(_MEASURED.timestamp() * 1000), "message": m} for m in ("a", "b")]
    logs.put_log_events(logGroupName="pages/a", logStreamName="one", logEvents=events)


# PutMetricData and PutLogEvents take no older data than of two weeks.
_MEASURED = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=30)


def _alarms(site: Site) -> None:
    del site
    cloudwatch = client("cloudwatch")
    for name in ("pages", "pages-b"):
        cloudwatch.put_metric_alarm(
            AlarmName=name,
            Namespace="Pages",
            MetricName="a",
            Statistic="Sum",
            Period=60,
            EvaluationPeriods=1,
            Threshold=1.0,
            ComparisonOperator="GreaterThanThreshold",
        )
    for state in ("ALARM", "OK"):
        cloudwatch.set_alarm_state(AlarmName="pages", StateValue=state, StateReason="pages")
    data = [{"MetricName": name, "Value": 1, "Timestamp": _MEASURED} for name in ("a", "b")]
    cloudwatch.put_metric_data(Namespace="Pages", MetricData=data)


def _subscriptions(site: Site) -> str:
    del site
    sns = client("sns")
    topic = str(sns.create_topic(Name="pages")["TopicArn"])
    for name in ("a", "b"):
        sns.subscribe(TopicArn=topic, Protocol="email", Endpoint=f"{name}@example.com")
    return topic


def _subscribed(scenes: Scenes) -> Mapping[str, Any]:
    return {"TopicArn": scenes.once("subscriptions", _subscriptions)}


def _metric_query(name: str) -> dict[str, Any]:
    metric = {"Namespace": "Pages", "MetricName": name}
    return {"Id": name, "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Sum"}}


def _security_groups(site: Site) -> str:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    for name in ("pages-a", "pages-b"):
        ec2.create_security_group(GroupName=name, Description=name, VpcId=vpc)
    return str(vpc)


def _grouped(scenes: Scenes) -> Mapping[str, Any]:
    return {"VpcId": scenes.once("security groups", _security_groups)}


KNOWN: dict[Key, Callable[[Scenes], Mapping[str, Any]]] = {
    ("budgets", "DescribeBudgetActionsForAccount"): _needs(
        "budget actions", _budget_actions, AccountId=_ACCOUNT
    ),
    ("budgets", "DescribeBudgets"): _needs("budgets", _budgets, AccountId=_ACCOUNT),
    ("budgets", "DescribeNotificationsForBudget"): _needs(
        "budgets", _budgets, AccountId=_ACCOUNT, BudgetName="pages"
    ),
    ("budgets", "DescribeSubscribersForNotification"): _needs(
        *("budgets", _budgets),
        AccountId=_ACCOUNT,
        BudgetName="pages",
        Notification={**_NOTIFICATION, "Threshold": 80.0},
    ),
    ("ce", "ListCostAllocationTags"): _asks(),
    ("amp", "ListRuleGroupsNamespaces"): _ruled,
    ("amp", "ListScrapers"): _scraped,
    ("grafana", "ListVersions"): _in_grafana(),
    ("grafana", "ListWorkspaces"): _in_grafana(),
    ("grafana", "ListWorkspaceServiceAccounts"): _in_grafana("workspaceId"),
    ("grafana", "ListWorkspaceServiceAccountTokens"): _in_grafana(
        "workspaceId", "serviceAccountId"
    ),
    ("cloudformation", "DescribeChangeSet"): _needs(
        "stacks", _stacks, ChangeSetName="change-1", **_IN_STACK
    ),
    ("cloudformation", "DescribeEvents"): _needs("stacks", _stacks, **_IN_STACK),
    ("cloudformation", "DescribeStackEvents"): _needs("stacks", _stacks, **_IN_STACK),
    ("cloudformation", "DescribeStacks"): _needs("stacks", _stacks),
    ("cloudformation", "ListChangeSets"): _needs("stacks", _stacks, **_IN_STACK),
    ("cloudformation", "ListExports"): _needs("stacks", _stacks),
    ("cloudformation", "ListImports"): _needs("stacks", _stacks, ExportName="export-one"),
    ("cloudformation", "ListStackResources"): _needs("stacks", _stacks, **_IN_STACK),
    ("cloudformation", "ListStacks"): _needs("stacks", _stacks),
    ("ec2", "DescribeCapacityReservations"): _needs("reservations", _reservations),
    ("ec2", "DescribeInstanceTypeOfferings"): _asks(
        LocationType="availability-zone-id",
        Filters=[{"Name": "instance-type", "Values": ["p5.48xlarge", "trn1.32xlarge", "m5.*"]}],
    ),
    ("ec2", "DescribeCapacityBlockOfferings"): _asks(**_BLOCK),
    ("ec2", "DescribeCapacityBlocks"): _needs("blocks", _blocks),
    ("ec2", "DescribeCapacityBlockStatus"): _needs("blocks", _blocks),
    ("ec2", "DescribeCapacityBlockExtensionHistory"): _extended,
    ("ec2", "DescribeCapacityBlockExtensionOfferings"): _extension,
    ("ec2", "DescribeInstanceTopology"): _needs("instances", _instances),
    ("ec2", "DescribeSpotPriceHistory"): _asks(InstanceTypes=["p5.48xlarge", "m5.large"]),
    ("ec2", "GetSecurityGroupsForVpc"): _grouped,
    ("eks", "DescribeAddonVersions"): _asks(),
    ("eks", "DescribeClusterVersions"): _asks(),
    ("eks", "ListAccessEntries"): _eks_scene(clusterName="one"),
    ("eks", "ListAccessPolicies"): _asks(),
    ("eks", "ListAddons"): _eks_scene(clusterName="one"),
    ("eks", "ListAssociatedAccessPolicies"): _eks_scene(
        clusterName="one", principalArn="arn:aws:iam::123456789012:role/eks-1"
    ),
    ("eks", "ListCapabilities"): _eks_scene(clusterName="one"),
    ("eks", "ListClusters"): _eks_scene(),
    ("eks", "ListNodegroups"): _eks_scene(clusterName="one"),
    ("eks", "ListPodIdentityAssociations"): _eks_scene(clusterName="one"),
    ("eks", "ListUpdates"): _eks_scene(name="one"),
    ("iam", "SimulateCustomPolicy"): _asks(
        PolicyInputList=[_ANY], ActionNames=["s3:GetObject", "s3:PutObject"]
    ),
    ("iam", "SimulatePrincipalPolicy"): _asks(
        PolicySourceArn="arn:aws:iam::123456789012:role/nodes",
        ActionNames=["s3:GetObject", "s3:PutObject"],
    ),
    ("kms", "ListGrants"): _granted,
    ("s3", "ListParts"): _uploaded,
    ("cloudwatch", "DescribeAlarmHistory"): _needs("alarms", _alarms),
    ("cloudwatch", "DescribeAlarms"): _needs("alarms", _alarms),
    ("sns", "ListSubscriptions"): _needs("subscriptions", _subscriptions),
    ("sns", "ListSubscriptionsByTopic"): _subscribed,
    ("cloudwatch", "GetMetricData"): _needs(
        "alarms",
        _alarms,
        MetricDataQueries=[_metric_query("a"), _metric_query("b")],
        StartTime=_MEASURED,
        EndTime=_MEASURED + timedelta(hours=1),
    ),
    ("logs", "DescribeLogGroups"): _needs("logs", _logs),
    ("logs", "FilterLogEvents"): _needs("logs", _logs, logGroupName="pages/a"),
    ("logs", "DescribeLogStreams"): _needs("logs", _logs, logGroupName="pages/a"),
    ("pcs", "ListClusters"): _needs("pcs", _pcs),
    ("pcs", "ListComputeNodeGroups"): _needs("pcs", _pcs, clusterIdentifier="train"),
    ("pcs", "ListQueues"): _needs("pcs", _pcs, clusterIdentifier="train"),
    ("organizations", "ListParents"): _asks(ChildId=_ACCOUNT),
    ("organizations", "ListPoliciesForTarget"): _asks(
        TargetId="r-exam", Filter="SERVICE_CONTROL_POLICY"
    ),
    ("fsx", "DescribeBackups"): _copied,
    ("fsx", "DescribeSnapshots"): _copied,
    ("fsx", "DescribeFileSystems"): _needs("file systems", _file_systems),
    ("fsx", "DescribeVolumes"): _needs("file systems", _file_systems),
    ("fsx", "ListTagsForResource"): _file_system_arn,
    ("pricing", "DescribeServices"): _asks(),
    ("pricing", "GetAttributeValues"): _asks(
        ServiceCode="AmazonEC2", AttributeName="instanceType"
    ),
    ("pricing", "GetProducts"): _asks(
        ServiceCode="AmazonEC2",
        Filters=[{"Type": "TERM_MATCH", "Field": "instanceType", "Value": "p5.48xlarge"}],
    ),
    ("sagemaker", "ListClusterSchedulerConfigs"): _governed,
    ("sagemaker", "ListComputeQuotas"): _governed,
    ("sagemaker", "DescribeTrainingPlanExtensionHistory"): _extended_plan,
    ("sagemaker", "ListClusterEvents"): _needs("clusters", _clusters, ClusterName="pages-1"),
    ("sagemaker", "ListClusterExtensionVersions"): _asks(ExtensionName="second-extension"),
    ("sagemaker", "ListClusterExtensions"): _extended_cluster,
    ("sagemaker", "ListClusterOperations"): _scaled,
    ("sagemaker", "ListClusterNodes"): _needs("clusters", _clusters, ClusterName="pages-1"),
    ("sagemaker", "ListClusters"): _needs("clusters", _clusters),
    ("sagemaker", "ListTags"): _cluster_arn,
    ("sagemaker", "ListTrainingPlans"): _needs("plans", _plans),
    ("service-quotas", "ListAWSDefaultServiceQuotas"): _asks(ServiceCode="sagemaker"),
    ("service-quotas", "ListRequestedServiceQuotaChangeHistory"): _needs("requests", _requests),
    ("service-quotas", "ListRequestedServiceQuotaChangeHistoryByQuota"): _needs(
        "requests", _requests, **_P5
    ),
    ("service-quotas", "ListServiceQuotas"): _asks(ServiceCode="sagemaker"),
    ("service-quotas", "ListServices"): _asks(),
}

# Only one of these can exist: no quota has two pending requests, no cluster two
# scheduler configurations, no block two extensions of the same length, and no account two parents.
ONE = {
    ("organizations", "ListParents"),
    ("ec2", "DescribeCapacityBlockExtensionOfferings"),
    ("sagemaker", "ListClusterSchedulerConfigs"),
    ("service-quotas", "ListRequestedServiceQuotaChangeHistoryByQuota"),
}
