"""moto's databases are available at once, deleted at once, and can be changed in any state.

States: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html
Messages of the refusals are as users published them: cloud-custodian/cloud-custodian#178,
hashicorp/terraform-provider-aws#5622 and #40333, aws-controllers-k8s/community#1107.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timers import timers

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "RDS: databases are creating, modifying or deleting for the world's delays, and refuse "
    "changes meanwhile"
)


def apply() -> None:
    from moto.rds.models import RDSBackend

    _instances(RDSBackend)


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
            # It exists, in state deleting, until the delay is over.
            database.status = "deleting"
            self.databases[db_instance_identifier] = database
            _drop_later(self.databases, db_instance_identifier, database)
        return database

    backend.create_db_instance = create_db_instance
    backend.modify_db_instance = modify_db_instance
    backend.delete_db_instance = delete_db_instance


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
