"""The same cluster on another platform: the other file, and what is lost, gained and moved."""

from clusterwright.platforms.migration.migrate import migrate
from clusterwright.platforms.migration.results import Migration, Note
from clusterwright.platforms.migration.takeover import OutputsLack

__all__ = ["Migration", "Note", "OutputsLack", "migrate"]
