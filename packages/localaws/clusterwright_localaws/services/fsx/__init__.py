"""Amazon FSx: Lustre and OpenZFS file systems, associations, tasks, backups. They hold no data."""

API = (
    "associations",
    "backups",
    "file_systems",
    "restore",
    "snapshots",
    "tags",
    "tasks",
    "volumes",
)
WHOLE = True
