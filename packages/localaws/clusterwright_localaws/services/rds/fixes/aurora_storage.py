"""moto does not have the storage types of Aurora clusters.

"Valid Values: Aurora DB clusters - aurora | aurora-iopt1", of StorageType:
https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html
"""

from __future__ import annotations

MOTO_VERSION = "5.2.5"
DESCRIPTION = "RDS: Aurora clusters with the storage types aurora and aurora-iopt1 are created"


def apply() -> None:
    from moto.rds.models import DBCluster

    default_in_moto = DBCluster.default_allocated_storage

    def default_allocated_storage(engine: str, storage_type: str) -> int:
        # Volumes of Aurora grow by themselves: moto's size of every type is the same.
        own = engine.startswith("aurora") and storage_type.startswith("aurora")
        return default_in_moto(engine, "gp2" if own else storage_type)

    DBCluster.default_allocated_storage = staticmethod(  # type: ignore[method-assign]
        default_allocated_storage
    )
