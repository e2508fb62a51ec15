"""S3 denies the lifecycle scripts to a new node, and Secrets Manager its secret.

A compute node is replaced while the local AWS refuses access. The node's message and the end of
its log must show what failed, why, and the remedy. When access is allowed again, a further
replacement starts.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 170
SECONDS = 20

PROMISES = {
    "scripts": "without the scripts the node's message names the bucket and the refused action",
    "scripts-logged": "the node's log in CloudWatch ends with the same cause",
    "secret": "without its secret the message names the step, the secret, the cause and the"
    " missing permission",
    "others": "meanwhile the other nodes still take jobs",
    "mended": "when AWS allows access again, the node starts and takes jobs",
}


def run(context: ScenarioContext) -> None:
    node = context.compute[-1]
    try:
        _deny(context, node)
    finally:
        context.allow_all()
        context.set_detection(4.0)


def _deny(context: ScenarioContext, node: Node) -> None:
    before = node.instance_id
    with context.promise("scripts"):
        context.deny("s3", "ListObjectsV2")
        context.deny("s3", "GetObject")
        context.replace(node)
        message, instance = faults.wait_failure(context, node, before)
        bucket = _bucket(context, node)
        for word in ("Lifecycle scripts did not run successfully", bucket, "s3:ListBucket"):
            context.expect(word in message, f"the message has no {word!r}: {message}")

    with context.promise("scripts-logged"):
        context.expect(instance == node.instance_id, f"{node} is another instance already")
        lines = context.logs(node)
        context.expect(lines, "its log is empty")
        context.expect("s3:ListBucket" in lines[-1], f"its log ends with {lines[-1]!r}")
        context.allow_all()

    with context.promise("secret"):
        if context.cluster.slurm.configuration != "scripted":
            context.note("no secret is read on a node in the managed configuration")
        else:
            context.deny("secretsmanager", "GetSecretValue", "AccessDeniedException")
            context.replace(node)
            message, _ = faults.wait_failure(context, node, instance)
            for word in ("munge_key", "arn:aws:secretsmanager:", "AccessDenied"):
                context.expect(word in message, f"the message has no {word!r}: {message}")
            context.expect("secretsmanager:GetSecretValue and kms:Decrypt" in message, message)
            context.allow_all()

    with context.promise("others"):
        others = [each for each in context.nodes(group=node.group) if each.name != node.name]
        if not others:
            context.cannot_determine(f"{node} is the only node of its group")
        jobs.expect_job(context, others[0], "srun hostname")

    with context.promise("mended"):
        now = node.instance_id
        context.replace(node)
        seconds = context.wait_running(node, but=now)
        context.note(f"Running after {seconds:.0f} s")
        context.wait_idle()
        jobs.expect_job(context, node, "srun hostname")


def _bucket(context: ScenarioContext, node: Node) -> str:
    cluster = context.aws("sagemaker").describe_cluster(ClusterName=context.cluster.environment)
    uris = [
        group["LifeCycleConfig"]["SourceS3Uri"]
        for group in cluster["InstanceGroups"]
        if group["InstanceGroupName"] == node.group
    ]
    return str(uris[0]).removeprefix("s3://").partition("/")[0]
