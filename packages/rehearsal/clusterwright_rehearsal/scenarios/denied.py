"""S3 denies the lifecycle scripts to a new node, and Secrets Manager its secret.

A compute node is replaced while the local AWS refuses. What the user then sees, in the node's
message and at the end of its log, must say what failed, why, and what to do. Once the right is
back, a further replacement comes up.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import Node, Stage
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 170

PROMISES = {
    "scripts": "without the scripts the node's message names the bucket and the refused action",
    "scripts-logged": "the node's log in CloudWatch ends with the same cause",
    "secret": "without its secret the message names the step, the secret, the cause and the right"
    " that is missing",
    "others": "meanwhile the other nodes still take jobs",
    "mended": "once AWS allows it again, the node comes up and takes jobs",
}


def play(stage: Stage) -> None:
    node = stage.compute[-1]
    try:
        _deny(stage, node)
    finally:
        stage.mend_aws()
        stage.set_detection(4.0)


def _deny(stage: Stage, node: Node) -> None:
    before = node.instance_id
    with stage.promise("scripts"):
        stage.deny("s3", "ListObjectsV2")
        stage.deny("s3", "GetObject")
        stage.replace(node)
        message, instance = faults.failure(stage, node, before)
        bucket = _bucket(stage, node)
        for word in ("Lifecycle scripts did not run successfully", bucket, "s3:ListBucket"):
            stage.expect(word in message, f"the message has no {word!r}: {message}")

    with stage.promise("scripts-logged"):
        stage.expect(instance == node.instance_id, f"{node} is another instance already")
        lines = stage.logs(node)
        stage.expect(lines, "its log is empty")
        stage.expect("s3:ListBucket" in lines[-1], f"its log ends with {lines[-1]!r}")
        stage.mend_aws()

    with stage.promise("secret"):
        if stage.cluster.slurm.configuration != "scripted":
            stage.note("no secret is read on a node in the managed configuration")
        else:
            stage.deny("secretsmanager", "GetSecretValue", "AccessDeniedException")
            stage.replace(node)
            message, _ = faults.failure(stage, node, instance)
            for word in ("munge_key", "arn:aws:secretsmanager:", "AccessDenied"):
                stage.expect(word in message, f"the message has no {word!r}: {message}")
            stage.expect("secretsmanager:GetSecretValue and kms:Decrypt" in message, message)
            stage.mend_aws()

    with stage.promise("others"):
        others = [each for each in stage.nodes(group=node.group) if each.name != node.name]
        if not others:
            stage.cannot(f"{node} is the only node of its group")
        job = stage.submit("srun hostname", options=[*_options(stage, others[0])])
        job.wait("COMPLETED", within_s=60)

    with stage.promise("mended"):
        now = node.instance_id
        stage.replace(node)
        seconds = stage.wait_running(node, but=now)
        stage.note(f"Running after {seconds:.0f} s")
        stage.settle()
        job = stage.submit("srun hostname", options=[*_options(stage, node)])
        job.wait("COMPLETED", within_s=60)


def _bucket(stage: Stage, node: Node) -> str:
    cluster = stage.aws("sagemaker").describe_cluster(ClusterName=stage.cluster.environment)
    uris = [
        group["LifeCycleConfig"]["SourceS3Uri"]
        for group in cluster["InstanceGroups"]
        if group["InstanceGroupName"] == node.group
    ]
    return str(uris[0]).removeprefix("s3://").partition("/")[0]


def _options(stage: Stage, node: Node) -> list[str]:
    partition = partition_of(stage, node.group)
    return [f"--nodelist={node.host}", *([f"--partition={partition}"] if partition else [])]
