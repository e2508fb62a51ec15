"""The same cluster on another platform: the other file, and what is lost, gained and moved."""

from clusterwright.migration.migrate import migrate
from clusterwright.migration.results import Migration, Note
from clusterwright.migration.takeover import OutputsLack

__all__ = ["Migration", "Note", "OutputsLack", "migrate"]
