"""moto's databases are available at once, gone at once, and can be changed in any state.

States: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html
The words of the refusals are those that users published: cloud-custodian/cloud-custodian#178,
hashicorp/terraform-provider-aws#5622 and #40333, aws-controllers-k8s/community#1107.
"""

from __future__ import annotations

import copy
from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timers import timers

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "RDS: databases and clusters are creating, modifying or deleting for as long as the world "
    "says, and refuse changes meanwhile; a cluster can go while its last instances are deleting"
)


def apply() -> None:
    from moto.rds.models import RDSBackend

    _states_of_clusters()
    _instances(RDSBackend)
    _clusters(RDSBackend)


def _states_of_clusters() -> None:
    """moto's clusters leave `creating` when somebody looks; ours when it is time."""
    from moto.rds.models import DBCluster

    in_moto: Any = DBCluster.__dict__["status"]
    members_in_moto: Any = DBCluster.__dict__["members"]

    def status(self: Any) -> str:
        return str(self._status if runtime().active else in_moto.fget(self))

    def members(self: Any) -> list[Any]:
        found: list[Any] = members_in_moto.fget(self)
        return [each for each in found if each.status != "deleting"]

    DBCluster.status = property(status, in_moto.fset)  # type: ignore[assignment,method-assign]
    DBCluster.members = property(members)  # type: ignore[assignment,method-assign]


def _instances(backend: Any) -> None:
    create_in_moto = backend.create_db_instance
    modify_in_moto = backend.modify_db_instance
    delete_in_moto = backend.delete_db_instance

    def create_db_instance(self: Any, db_kwargs: dict[str, Any]) -> Any:
        database = create_in_moto(self, db_kwargs)
        if runtime().active:
            _pass_through(database, "status", "creating")
        return database

    def modify_db_instance(self: Any, db_instance_identifier: str, db_kwargs: Any) -> Any:
        if not runtime().active:
            return modify_in_moto(self, db_instance_identifier, db_kwargs)
        found = self.describe_db_instances(db_instance_identifier)[0]
        if found.status not in ("available", "stopped", "storage-full"):
            raise _refused(
                "InvalidDBInstanceState", "Database instance is not in available state."
            )
        database = modify_in_moto(self, db_instance_identifier, db_kwargs)
        if database.status == "available":
            _pass_through(database, "status", "modifying")
        return database

    def delete_db_instance(
        self: Any,
        db_instance_identifier: str,
        final_db_snapshot_identifier: str | None = None,
        skip_final_snapshot: bool | None = False,
        *arguments: Any,
        **named: Any,
    ) -> Any:
        found = self.databases.get(db_instance_identifier)
        if runtime().active and found is not None:
            if found.status == "deleting":
                raise _refused(
                    "InvalidDBInstanceState",
                    f"Instance {db_instance_identifier} is already being deleted.",
                )
            if not skip_final_snapshot and found.status not in ("available", "stopped"):
                raise _refused(
                    "InvalidDBInstanceState",
                    "Cannot create a snapshot because the database instance "
                    f"{db_instance_identifier} is not currently in the available state.",
                )
        database = delete_in_moto(
            self,
            db_instance_identifier,
            final_db_snapshot_identifier,
            skip_final_snapshot,
            *arguments,
            **named,
        )
        if runtime().active:
            # It is there, and deleting, until it is time.
            database.status = "deleting"
            self.databases[db_instance_identifier] = database
            _drop_later(self.databases, db_instance_identifier, database)
        return database

    backend.create_db_instance = create_db_instance
    backend.modify_db_instance = modify_db_instance
    backend.delete_db_instance = delete_db_instance


def _clusters(backend: Any) -> None:
    create_in_moto = backend.create_db_cluster
    modify_in_moto = backend.modify_db_cluster
    delete_in_moto = backend.delete_db_cluster

    def create_db_cluster(self: Any, kwargs: dict[str, Any]) -> Any:
        name = kwargs["db_cluster_identifier"]
        if runtime().active and name in self.clusters:
            raise _refused("DBClusterAlreadyExistsFault", "DB Cluster already exists")
        cluster = create_in_moto(self, kwargs)
        if runtime().active:
            _pass_through(cluster, "_status", "creating")
        return cluster

    def modify_db_cluster(self: Any, kwargs: dict[str, Any]) -> Any:
        if not runtime().active:
            return modify_in_moto(self, kwargs)
        found = self.describe_db_clusters(kwargs["db_cluster_identifier"])[0]
        state = found.status
        if state not in ("available", "stopped"):
            raise _refused(
                "InvalidDBClusterStateFault",
                f"DB cluster is not available for modification with status {state}",
            )
        modified = modify_in_moto(self, kwargs)
        cluster = self.clusters[modified.db_cluster_identifier]
        if state == "available":
            _pass_through(cluster, "_status", "modifying")
        else:
            cluster.status = state
        return copy.copy(cluster)

    def delete_db_cluster(
        self: Any, cluster_identifier: str, snapshot_name: str | None = None
    ) -> Any:
        found = self.clusters.get(cluster_identifier)
        if runtime().active and found is not None:
            _refuse_deletion(found.status, cluster_identifier, snapshot_name)
        cluster = delete_in_moto(self, cluster_identifier, snapshot_name)
        if runtime().active:
            cluster.status = "deleting"
            self.clusters[cluster_identifier] = cluster
            _drop_later(self.clusters, cluster_identifier, cluster)
        return cluster

    backend.create_db_cluster = create_db_cluster
    backend.modify_db_cluster = modify_db_cluster
    backend.delete_db_cluster = delete_db_cluster


def _refuse_deletion(state: str, cluster: str, snapshot: str | None) -> None:
    if state == "deleting":
        raise _refused(
            "InvalidDBClusterStateFault", f"DB cluster {cluster} is already being deleted."
        )
    if snapshot and state != "available":
        raise _refused(
            "InvalidDBClusterStateFault",
            f"Can't create a snapshot because the database cluster {cluster} isn't currently in "
            "the available state.",
        )


def _pass_through(resource: Any, member: str, state: str) -> None:
    setattr(resource, member, state)

    def settle() -> None:
        if getattr(resource, member) == state:
            setattr(resource, member, "available")

    timers().after(runtime().world.delays.database, settle)


def _drop_later(kept: Any, name: str, resource: Any) -> None:
    def gone() -> None:
        if kept.get(name) is resource:
            del kept[name]

    timers().after(runtime().world.delays.database, gone)


def _refused(code: str, message: str) -> Exception:
    from moto.rds.exceptions import RDSClientError

    return RDSClientError(code, message)
