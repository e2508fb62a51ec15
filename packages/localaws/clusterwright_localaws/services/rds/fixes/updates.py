"""moto modifies a database in any way; RDS refuses some changes.

https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html:
AllocatedStorage, EngineVersion and AllowMajorVersionUpgrade.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "RDS: ModifyDBInstance refuses less storage, another change of storage within six hours, an "
    "older engine version, and another major version unless AllowMajorVersionUpgrade is set"
)

# ModifyDBInstance, AllocatedStorage and StorageType; RDS user guide, "Working with storage".
_BETWEEN_STORAGE_CHANGES = timedelta(hours=6)


def apply() -> None:
    from moto.rds.exceptions import RDSClientError
    from moto.rds.models import RDSBackend

    real = RDSBackend.modify_db_instance

    def modify(self: Any, db_instance_identifier: str, db_kwargs: dict[str, Any]) -> Any:
        database = self.describe_db_instances(db_instance_identifier)[0]
        new = db_kwargs.get("allocated_storage")
        if new is not None and int(new) < int(database.allocated_storage):
            raise RDSClientError(
                "InvalidParameterCombination",
                f"Requested storage size ({new}) cannot be less than the current storage size "
                f"({database.allocated_storage}).",
            )
        _check_version(database, db_kwargs)
        if not _changes_storage(database, db_kwargs):
            return real(self, db_instance_identifier, db_kwargs)
        now = runtime().clock.now()
        earlier = getattr(database, "storage_changed_at", None)
        if earlier is not None and now - earlier < _BETWEEN_STORAGE_CHANGES:
            # The message is ours.
            raise RDSClientError(
                "InvalidParameterCombination",
                "You can't currently modify the storage of this DB instance because the previous "
                f"storage change was at {earlier:%Y-%m-%dT%H:%M:%SZ}, less than six hours ago.",
            )
        modified: Any = real(self, db_instance_identifier, db_kwargs)
        modified.storage_changed_at = now
        return modified

    def _check_version(database: Any, db_kwargs: dict[str, Any]) -> None:
        old, new = database.engine_version, db_kwargs.get("engine_version")
        if not old or not new or old == new:
            return
        before, after = _parts(old), _parts(new)
        if after < before[: len(after)]:
            raise RDSClientError(
                "InvalidParameterCombination",
                f"Cannot upgrade {database.engine} from {old} to {new}",
            )
        major = 1 if database.engine.startswith("postgres") else 2
        if before[:major] != after[:major] and not _true(
            db_kwargs.get("allow_major_version_upgrade")
        ):
            raise RDSClientError(
                "InvalidParameterCombination",
                "The AllowMajorVersionUpgrade flag must be present when upgrading to a new major "
                "version.",
            )

    RDSBackend.modify_db_instance = modify  # type: ignore[method-assign]


def _changes_storage(database: Any, db_kwargs: dict[str, Any]) -> bool:
    size, kind = db_kwargs.get("allocated_storage"), db_kwargs.get("storage_type")
    return (size is not None and int(size) != int(database.allocated_storage)) or (
        kind is not None and kind != database.storage_type
    )


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _true(value: object) -> bool:
    return str(value).lower() == "true"
