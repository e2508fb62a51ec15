"""Test data for every waiter of an implemented operation: one success and one failure."""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.clients.programs import Server
from tests.clients.sites import site_in


@dataclass(frozen=True)
class Place:
    """A served local AWS with delays."""

    server: Server
    subnets: tuple[str, ...]
    role: str

    def client(self, service: str) -> Any:
        return _client(self.server, service)

    def settled(self, name: str) -> dict[str, Any]:
        """A stack, when no operation is in progress."""
        for _ in range(300):
            found: dict[str, Any] = self.client("cloudformation").describe_stacks(StackName=name)[
                "Stacks"
            ][0]
            if not found["StackStatus"].endswith("_IN_PROGRESS"):
                return found
            time.sleep(0.1)
        raise AssertionError(f"{name} is still {found['StackStatus']}")


def place_in(server: Server) -> Place:
    """Two subnets in two zones, and a role for EKS."""
    site, ec2 = site_in(server), server.client("ec2")
    vpc = ec2.describe_subnets(SubnetIds=[site.subnet])["Subnets"][0]["VpcId"]
    other = ec2.create_subnet(VpcId=vpc, CidrBlock="10.6.64.0/18", AvailabilityZoneId="use1-az1")
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": ["eks.amazonaws.com", "ec2.amazonaws.com"]},
        "Action": "sts:AssumeRole",
    }
    role = server.client("iam").create_role(
        RoleName="eks",
        AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}),
    )["Role"]["Arn"]
    return Place(server, (site.subnet, other["Subnet"]["SubnetId"]), role)


@functools.cache
def _client(server: Server, service: str) -> Any:
    return server.client(service)


Key = tuple[str, str]
Begin = Callable[[Place], Mapping[str, Any]]
# Durations of the operations; a workspace takes longer than CloudFormation's first answer, which
# is sent when the stack is complete or after five seconds.
SECONDS = 0.8
WORKSPACE_SECONDS = 6


@dataclass(frozen=True)
class Wait:
    """Each case starts an operation and returns the arguments of the waiter.

    `reaches` is None if no caller can cause the state; `fails` if no failure of the waiter can
    occur.
    """

    reaches: Begin | None
    fails: Begin | None


def _template(capacity_gib: int, place: Place) -> str:
    home = {
        "FileSystemType": "OPENZFS",
        "StorageCapacity": capacity_gib,
        "SubnetIds": [place.subnets[0]],
        "OpenZFSConfiguration": {"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64},
    }
    return json.dumps(
        {"Resources": {"Home": {"Type": "AWS::FSx::FileSystem", "Properties": home}}}
    )


def _create(name: str, capacity_gib: int = 64) -> Begin:
    def begin(place: Place) -> Mapping[str, Any]:
        place.client("cloudformation").create_stack(
            StackName=name, TemplateBody=_template(capacity_gib, place)
        )
        return {"StackName": name}

    return begin


def _create_workspace(place: Place) -> Mapping[str, Any]:
    body = json.dumps({"Resources": {"Metrics": {"Type": "AWS::APS::Workspace"}}})
    place.client("cloudformation").create_stack(StackName="metrics", TemplateBody=body)
    return {"StackName": "metrics"}


def _update(name: str, capacity_gib: int, **more: Any) -> Begin:
    def begin(place: Place) -> Mapping[str, Any]:
        asked = _create(name)(place)
        place.settled(name)
        place.client("cloudformation").update_stack(
            StackName=name, TemplateBody=_template(capacity_gib, place), **more
        )
        return asked

    return begin


def _delete(place: Place) -> Mapping[str, Any]:
    _create("deleted")(place)
    stack_id = place.settled("deleted")["StackId"]
    place.client("cloudformation").delete_stack(StackName="deleted")
    return {"StackName": stack_id}


def _delete_what_is_not_empty(place: Place) -> Mapping[str, Any]:
    bucket = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "full-bucket"}}
    body = json.dumps({"Resources": {"Bucket": bucket}})
    place.client("cloudformation").create_stack(StackName="full", TemplateBody=body)
    place.settled("full")
    place.client("s3").put_object(Bucket="full-bucket", Key="a", Body=b"a")
    place.client("cloudformation").delete_stack(StackName="full")
    return {"StackName": "full"}


def _appears(place: Place) -> Mapping[str, Any]:
    threading.Timer(SECONDS, _create("late"), [place]).start()
    return {"StackName": "late"}


def _alarm_appears(place: Place) -> Mapping[str, Any]:
    alarm = {
        "AlarmName": "late",
        "Namespace": "waited",
        "MetricName": "none",
        "Statistic": "Sum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 0,
        "ComparisonOperator": "GreaterThanThreshold",
    }
    put = place.client("cloudwatch").put_metric_alarm
    threading.Timer(SECONDS, put, kwargs=alarm).start()
    return {"AlarmNames": ["late"]}


def _composite_alarm_appears(place: Place) -> Mapping[str, Any]:
    alarm = {"AlarmName": "late-composite", "AlarmRule": "FALSE"}
    put = place.client("cloudwatch").put_composite_alarm
    threading.Timer(SECONDS, put, kwargs=alarm).start()
    return {"AlarmNames": ["late-composite"], "AlarmTypes": ["CompositeAlarm"]}


def _roll_back(place: Place) -> Mapping[str, Any]:
    asked = _update("rolled", 16, DisableRollback=True)(place)
    assert place.settled("rolled")["StackStatus"] == "UPDATE_FAILED"
    place.client("cloudformation").rollback_stack(StackName="rolled")
    return asked


def _change_set(capacity_gib: int, name: str) -> Begin:
    def begin(place: Place) -> Mapping[str, Any]:
        if not place.client("cloudformation").list_stacks(StackStatusFilter=["CREATE_COMPLETE"])[
            "StackSummaries"
        ]:
            _create("changing")(place)
            place.settled("changing")
        asked = {"StackName": "changing", "ChangeSetName": name}
        place.client("cloudformation").create_change_set(
            **asked, TemplateBody=_template(capacity_gib, place)
        )
        return asked

    return begin


def _eks_cluster(name: str) -> Begin:
    def begin(place: Place) -> Mapping[str, Any]:
        place.client("eks").create_cluster(
            name=name,
            roleArn=place.role,
            resourcesVpcConfig={"subnetIds": list(place.subnets)},
            accessConfig={"authenticationMode": "API"},
        )
        return {"name": name}

    return begin


def _active_cluster(place: Place) -> str:
    """The EKS cluster of node groups and add-ons."""
    eks = place.client("eks")
    if "base" not in eks.list_clusters()["clusters"]:
        _eks_cluster("base")(place)
    eks.get_waiter("cluster_active").wait(name="base", WaiterConfig={"Delay": 0.1})
    return "base"


def _cluster_deleted(place: Place) -> Mapping[str, Any]:
    asked = _eks_cluster("gone")(place)
    eks = place.client("eks")
    eks.get_waiter("cluster_active").wait(name="gone", WaiterConfig={"Delay": 0.1})
    eks.delete_cluster(name="gone")
    return asked


def _cluster_being_deleted(place: Place) -> Mapping[str, Any]:
    _cluster_deleted(place)
    return {"name": "gone"}


def _node_group(place: Place) -> Mapping[str, Any]:
    asked = {"clusterName": _active_cluster(place), "nodegroupName": "system"}
    place.client("eks").create_nodegroup(**asked, subnets=list(place.subnets), nodeRole=place.role)
    return asked


def _node_group_deleted(place: Place) -> Mapping[str, Any]:
    asked = {"clusterName": _active_cluster(place), "nodegroupName": "gone"}
    eks = place.client("eks")
    eks.create_nodegroup(**asked, subnets=list(place.subnets), nodeRole=place.role)
    eks.get_waiter("nodegroup_active").wait(**asked, WaiterConfig={"Delay": 0.1})
    eks.delete_nodegroup(**asked)
    return asked


def _addon(name: str) -> Begin:
    def begin(place: Place) -> Mapping[str, Any]:
        asked = {"clusterName": _active_cluster(place), "addonName": name}
        place.client("eks").create_addon(**asked)
        return asked

    return begin


def _addon_deleted(place: Place) -> Mapping[str, Any]:
    asked = _addon("kube-proxy")(place)
    eks = place.client("eks")
    eks.get_waiter("addon_active").wait(**asked, WaiterConfig={"Delay": 0.1})
    eks.delete_addon(**asked)
    return asked


def _scraper(place: Place) -> Mapping[str, Any]:
    eks, amp = place.client("eks"), place.client("amp")
    name = _active_cluster(place)
    cluster = eks.describe_cluster(name=name)["cluster"]
    if not cluster["resourcesVpcConfig"]["endpointPrivateAccess"]:
        eks.update_cluster_config(name=name, resourcesVpcConfig={"endpointPrivateAccess": True})
        eks.get_waiter("cluster_active").wait(name=name, WaiterConfig={"Delay": 0.1})
    source = {
        "clusterArn": cluster["arn"],
        "subnetIds": list(place.subnets),
    }
    workspace = amp.create_workspace()["arn"]
    made = amp.create_scraper(
        scrapeConfiguration={"configurationBlob": b"scrape_configs: [{job_name: nodes}]"},
        source={"eksConfiguration": source},
        destination={"ampConfiguration": {"workspaceArn": workspace}},
    )
    return {"scraperId": made["scraperId"]}


def _scraper_deleted(place: Place) -> Mapping[str, Any]:
    amp, asked = place.client("amp"), _scraper(place)
    amp.get_waiter("scraper_active").wait(**asked, WaiterConfig={"Delay": 0.1, "MaxAttempts": 300})
    amp.delete_scraper(**asked)
    return asked


KNOWN: dict[Key, Wait] = {
    ("amp", "ScraperActive"): Wait(_scraper, None),
    ("amp", "ScraperDeleted"): Wait(_scraper_deleted, None),
    ("cloudwatch", "AlarmExists"): Wait(_alarm_appears, None),
    ("cloudwatch", "CompositeAlarmExists"): Wait(_composite_alarm_appears, None),
    # The local AWS has no alarms on logs.
    ("cloudwatch", "LogAlarmExists"): Wait(None, None),
    ("eks", "ClusterActive"): Wait(_eks_cluster("new"), _cluster_being_deleted),
    ("eks", "ClusterDeleted"): Wait(_cluster_deleted, _eks_cluster("kept")),
    ("eks", "NodegroupActive"): Wait(_node_group, None),
    ("eks", "NodegroupDeleted"): Wait(_node_group_deleted, None),
    ("eks", "AddonActive"): Wait(_addon("vpc-cni"), None),
    ("eks", "AddonDeleted"): Wait(_addon_deleted, None),
    # Only AWS updates a certificate authority.
    ("eks", "CertificateAuthorityUpdateComplete"): Wait(None, None),
    ("cloudformation", "StackExists"): Wait(_appears, None),
    ("cloudformation", "StackCreateComplete"): Wait(_create_workspace, _create("small", 1)),
    ("cloudformation", "StackUpdateComplete"): Wait(
        _update("updated", 128), _update("not-updated", 1)
    ),
    ("cloudformation", "StackDeleteComplete"): Wait(_delete, _delete_what_is_not_empty),
    # Imports are not supported: docs/explanations/local-cloudformation.md.
    ("cloudformation", "StackImportComplete"): Wait(None, _create("imported", 1)),
    ("cloudformation", "StackRollbackComplete"): Wait(
        _roll_back, _update("not-rolled", 1, DisableRollback=True)
    ),
    ("cloudformation", "ChangeSetCreateComplete"): Wait(
        _change_set(256, "larger"), _change_set(64, "nothing")
    ),
    # An object is there or not: no world delays it.
    ("s3", "ObjectExists"): Wait(None, None),
    ("s3", "ObjectNotExists"): Wait(None, None),
}

# Short operations are complete when CloudFormation answers, and a change set of a small template
# exists before the first request.
AT_ONCE = {
    ("cloudformation", "ChangeSetCreateComplete"),
    ("cloudformation", "StackDeleteComplete"),
    ("cloudformation", "StackRollbackComplete"),
    ("cloudformation", "StackUpdateComplete"),
}
