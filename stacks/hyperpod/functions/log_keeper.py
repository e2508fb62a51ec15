"""Runs in AWS Lambda: gives log groups that HyperPod makes an end, and removes them.

CloudFormation can neither adopt a log group that a service made nor know its name before, so two
custom resources call this function. It is sent as text in the template: 4,096 characters at most.
"""

import contextlib

import boto3
import cfnresponse


def handler(event, context):
    """Answer one request of CloudFormation; what goes wrong becomes the resource's reason."""
    properties = event["ResourceProperties"]
    physical_id = event.get("PhysicalResourceId") or properties.get("LogGroupName", "cleanup")
    try:
        logs = boto3.client("logs")
        if event["ResourceType"] == "Custom::LogRetention":
            physical_id = properties["LogGroupName"]
            if event["RequestType"] != "Delete":
                keep(logs, physical_id, int(properties["RetentionInDays"]))
        elif event["RequestType"] == "Delete":
            remove(logs, properties["LogGroupNamePrefix"])
    except Exception as error:  # noqa: BLE001 - an unanswered request blocks the stack for an hour
        print(repr(error))
        cfnresponse.send(
            event, context, cfnresponse.FAILED, {}, physical_id, reason=str(error)[:1000]
        )
        return
    cfnresponse.send(event, context, cfnresponse.SUCCESS, {}, physical_id)


def keep(logs, name, days):
    """Keep the events of group `name` for `days`; HyperPod may not have made it yet."""
    with contextlib.suppress(logs.exceptions.ResourceAlreadyExistsException):
        logs.create_log_group(logGroupName=name)
    logs.put_retention_policy(logGroupName=name, retentionInDays=days)


def remove(logs, prefix):
    """Delete every group whose name begins with `prefix`."""
    pages = logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=prefix)
    for name in [group["logGroupName"] for page in pages for group in page["logGroups"]]:
        with contextlib.suppress(logs.exceptions.ResourceNotFoundException):
            logs.delete_log_group(logGroupName=name)
