"""The stack of data: Lustre, home directories, buckets and repositories of images."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base import names
from stacks.base.cluster_stack import ClusterStack
from stacks.base.log_groups import log_group
from stacks.network.network_stack import Attachments
from stacks.storage.buckets import data_bucket, directory_bucket
from stacks.storage.home import HomeDirectories, HomeMount, existing_home
from stacks.storage.image_repositories import image_repository
from stacks.storage.lustre import LustreFileSystem, LustreMount, existing_mount


def is_built(cluster: Cluster) -> bool:
    """Whether the stacks create storage."""
    storage = cluster.storage
    return (
        any(fs.existing is None for fs in storage.lustre)
        or (storage.home is not None and storage.home.existing is None)
        or any(bucket.create for bucket in storage.buckets)
        or any(repository.create for repository in storage.image_repositories)
    )


def existing_lustre_mounts(cluster: Cluster) -> list[LustreMount]:
    """Mounts of existing file systems."""
    return [existing_mount(fs) for fs in cluster.storage.lustre if fs.existing is not None]


def existing_home_mount(cluster: Cluster) -> HomeMount | None:
    """The mount of existing home directories."""
    home = cluster.storage.home
    return existing_home(home) if home is not None and home.existing is not None else None


class StorageStack(ClusterStack):
    """Stateful, in the nodes' subnet: EFA and low latency require the same zone."""

    NAME_SUFFIX = "storage"
    STATEFUL = True

    def __init__(
        self, scope: Construct, cluster: Cluster, attachments: Attachments, *, key_arn: str
    ) -> None:
        super().__init__(scope, cluster, description="file systems, home directories, buckets")
        self._attachments, self._key_arn = attachments, key_arn
        self._build_buckets()
        self._build_image_repositories()
        self.file_systems: dict[str, LustreFileSystem] = {}
        self._build_lustre()
        self.home: HomeDirectories | None = None
        self._build_home()

    def _build_buckets(self) -> None:
        cluster = self.cluster
        self.buckets = {
            name: data_bucket(
                self,
                f"Bucket{index}",
                cluster,
                name=name,
                spec=spec,
                key_arn=self._key_arn,
            )
            for index, (name, spec) in enumerate(names.created_buckets(cluster).items())
        }
        for index, bucket in enumerate(cluster.storage.buckets):
            if bucket.create and bucket.directory:
                directory_bucket(
                    self, f"DirectoryBucket{index}", cluster, bucket, key_arn=self._key_arn
                )

    def _build_image_repositories(self) -> None:
        for index, spec in enumerate(self.cluster.storage.image_repositories):
            if spec.create:
                image_repository(
                    self, f"ImageRepository{index}", self.cluster, spec, key_arn=self._key_arn
                )

    def _build_lustre(self) -> None:
        cluster = self.cluster
        built = [fs for fs in cluster.storage.lustre if fs.existing is None]
        log_arn = None
        if any(fs.repositories for fs in built):
            group = log_group(
                self,
                "RepositoryLogs",
                # FSx requires the prefix /aws/fsx.
                name=f"/aws/fsx/{cluster.environment}",
                days=cluster.observability.log_retention_days,
                key_arn=self._key_arn,
            )
            log_arn = (
                f"arn:{self.partition}:logs:{self.region}:{self.account}:log-group:{group.ref}"
            )
        for spec in built:
            file_system = LustreFileSystem(
                self,
                f"Lustre-{spec.name}",
                spec,
                environment=cluster.environment,
                subnet_id=self._attachments.node_subnet_ids[0],
                security_group_ids=self._attachments.lustre_security_group_ids,
                key_arn=self._key_arn,
                log_group_arn=log_arn if spec.repositories else None,
            )
            self.protect(file_system.resource)
            for association, repository in zip(
                file_system.associations, spec.repositories, strict=True
            ):
                bucket = self.buckets.get(names.bucket_of(repository.s3))
                if bucket is not None:
                    association.node.add_dependency(bucket)
                self.protect(association)
            self.file_systems[str(spec.name)] = file_system

    def _build_home(self) -> None:
        spec = self.cluster.storage.home
        if spec is None or spec.existing is not None:
            return
        network = self.cluster.network
        # The spec does not have the ranges of an existing network; its security groups apply.
        ranges = [network.cidr, *network.secondary_cidrs] if network.existing is None else ["*"]
        self.home = HomeDirectories(
            self,
            "Home",
            spec,
            environment=self.cluster.environment,
            subnet_id=self._attachments.node_subnet_ids[0],
            security_group_ids=self._attachments.home_security_group_ids,
            client_ranges=ranges,
            key_arn=self._key_arn,
        )
        self.protect(self.home.resource)
        cdk.CfnOutput(self, "HomeDnsName", value=self.home.mount.dns_name)
        cdk.CfnOutput(self, "HomeVolumeId", value=self.home.resource.attr_root_volume_id)
