"""FSx: Lustre and OpenZFS file systems, associations, tasks, backups."""

from clusterwright_localaws.services.fsx import associations as _associations
from clusterwright_localaws.services.fsx import backups as _backups
from clusterwright_localaws.services.fsx import file_systems as _file_systems
from clusterwright_localaws.services.fsx import snapshots as _snapshots
from clusterwright_localaws.services.fsx import tags as _tags
from clusterwright_localaws.services.fsx import tasks as _tasks
from clusterwright_localaws.services.fsx import volumes as _volumes

__all__ = [
    "_associations",
    "_backups",
    "_file_systems",
    "_snapshots",
    "_tags",
    "_tasks",
    "_volumes",
]
