"""The same cluster on another platform: the other file, and what is lost, gained and moved."""

from clusterwright.platforms.migration.migrate import migrate
from clusterwright.platforms.migration.results import Migration, Note

__all__ = ["Migration", "Note", "migrate"]
