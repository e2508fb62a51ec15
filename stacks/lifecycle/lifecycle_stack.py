"""The lifecycle scripts in S3, under a prefix that is the digest of their contents.

HyperPod downloads the prefix when it creates or replaces a node. With a new prefix for every
change a node never gets a part of a change, the change is visible in the cluster's template, and
a rollback finds the old scripts.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import aws_cdk as cdk
from aws_cdk import aws_s3_deployment as deployment
from aws_cdk import aws_secretsmanager as secretsmanager

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.job_templates.plan import TrainingPlan
from stacks.base.acknowledge import acknowledge
from stacks.foundation import Foundation
from stacks.lifecycle import job_files, node_files, scripts
from stacks.lifecycle.scripts_stack import ScriptsStack
from stacks.observability.observability_stack import ObservabilityStack

MUNGE_KEY_LENGTH = 128
"""Letters and digits: about 760 bits; munge accepts 32 to 1,024 bytes (munged(8), --key-file)."""

QUEUES = "lifecycle/queues"
"""The prefix of the scripts of queues."""


class QueueScripts(NamedTuple):
    """The scripts of a queue's compute nodes: their prefix, and the digest of the manifest."""

    prefix: str
    manifest_sha256: str


class LifecycleStack(ScriptsStack):
    """The bucket and its contents, which can be restored from the repository."""

    NAME_SUFFIX = "lifecycle"

    def __init__(
        self, base: Foundation, observability: ObservabilityStack, plan: TrainingPlan | None
    ) -> None:
        cluster = base.cluster
        super().__init__(base.scope, cluster, description="lifecycle scripts and what they read")
        cluster_file = node_files.cluster_json(cluster, base.catalog)
        own = scripts.site_files(cluster.lifecycle.steps)
        own |= node_files.program_files(own)
        jobs = job_files.job_files(cluster, base.catalog, plan)
        # Compute nodes, whose queues have scripts of their own, do not need it.
        diagnosis = scripts.diagnosis_files()
        digest = scripts.scripts_digest(
            {"cluster.json": cluster_file, job_files.NAME: jobs.digested},
            texts={**own, **diagnosis},
        )
        self.prefix = f"lifecycle/{digest}"
        self.manifest_sha256: str | None = None
        """The digest that the entry script verifies (ParallelCluster, PCS); else None."""
        self.queues: dict[str, QueueScripts] = {}
        """The scripts of each queue of ParallelCluster and PCS; empty on other platforms."""
        self.bucket = self.scripts_bucket()
        scripted = cluster_file["configuration"] == "scripted"
        self.munge_key_secret_arn = self._munge_key(base.identity.key_arn) if scripted else None
        deployment_file = node_files.deployment_json(
            base.lustre,
            base.home,
            base.database,
            self.munge_key_secret_arn,
            observability.prometheus_workspace_id,
        )
        sources = [
            deployment.Source.asset(
                str(scripts.FOLDER),
                exclude=list(scripts.EXCLUDED),
                ignore_mode=cdk.IgnoreMode.GLOB,
            ),
            *(deployment.Source.data(name, text) for name, text in own.items()),
            _json_file("cluster.json", cluster_file),
            _json_file("deployment.json", deployment_file),
            _json_file(job_files.NAME, jobs.files),
        ]
        if cluster.traits.verified_scripts:
            listed = {job_files.NAME: _json_text(jobs.files)} if jobs.listed else {}
            manifest = _manifest({**own, **diagnosis, **listed}, cluster_file)
            self.manifest_sha256 = scripts.sha256(manifest)
            sources.append(deployment.Source.data(scripts.MANIFEST, manifest))
        if scripted:
            sources.append(
                _json_file(
                    "provisioning_parameters.json",
                    node_files.provisioning_parameters(cluster, base.lustre, base.home),
                )
            )
        with tempfile.TemporaryDirectory() as folder:
            scripts.write_to(Path(folder), diagnosis)
            self.copy_scripts([*sources, deployment.Source.asset(folder)])
        self.source_s3_uri = f"s3://{self.bucket.bucket_name}/{self.prefix}/"
        if cluster.traits.verified_scripts:
            files = {
                partition.name: node_files.queue_json(cluster, base.catalog, partition.name)
                for partition in cluster.slurm.partitions
            }
            self._copies_of_queues(files, own, deployment_file)

    def _copies_of_queues(
        self,
        files: Mapping[str, Mapping[str, Any]],
        own: Mapping[str, str],
        deployment_file: Mapping[str, Any],
    ) -> None:
        """Upload the scripts for each queue with its `cluster.json`, under the digest of both.

        It is one upload: each one adds a tag to the bucket, which has 50 tags at most.
        """
        with tempfile.TemporaryDirectory() as folder:
            sources = [deployment.Source.asset(folder)]
            for queue, file in files.items():
                digest = scripts.scripts_digest({"cluster.json": file}, texts=own)
                manifest = _manifest(own, file)
                texts = {**own, "cluster.json": _json_text(file), scripts.MANIFEST: manifest}
                scripts.copy_to(Path(folder) / digest, texts)
                self.queues[queue] = QueueScripts(f"{QUEUES}/{digest}", scripts.sha256(manifest))
                sources.append(_json_file(f"{digest}/deployment.json", deployment_file))
            self.copy_of("CopyForQueues", QUEUES, sources)

    def _munge_key(self, key_arn: str) -> str:
        """A random key for this cluster. Whoever has it can act as any of its users."""
        secret = secretsmanager.CfnSecret(
            self,
            "MungeKey",
            name=f"{self.cluster.environment}/munge-key",
            description=f"{self.cluster.environment}: munge key, which signs Slurm's credentials",
            kms_key_id=key_arn,
            generate_secret_string=secretsmanager.CfnSecret.GenerateSecretStringProperty(
                password_length=MUNGE_KEY_LENGTH, exclude_punctuation=True
            ),
        )
        acknowledge(
            secret,
            "AwsSolutions-SMG4",
            "nodes with different keys cannot talk to each other, so a running cluster keeps its "
            "key; "
            "docs/reference/node-files.md says how to change it",
        )
        return secret.ref


def add_lifecycle(
    base: Foundation, observability: ObservabilityStack, loaded: LoadedSpec
) -> LifecycleStack:
    """Add the stack of the lifecycle scripts, which name what the stacks so far created."""
    stack = LifecycleStack(base, observability, job_files.recorded_plan(loaded))
    base.stacks.append(stack)
    return stack


def _manifest(own: Mapping[str, str], cluster_file: Mapping[str, Any]) -> str:
    return scripts.manifest({**own, "cluster.json": _json_text(cluster_file)})


def _json_file(name: str, value: Mapping[str, Any]) -> deployment.ISource:
    """A JSON file whose tokens CloudFormation fills in: names and ARNs, nothing to escape.

    The CDK's own `json_data` drops every key whose value is null, and the files' reader is strict.
    """
    return deployment.Source.data(name, _json_text(value))


def _json_text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
