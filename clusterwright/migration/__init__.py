"""Migrate a spec to another platform: the new file, and what is lost, gained and done by hand."""

from clusterwright.migration.migrate import migrate
from clusterwright.migration.resource_import import MissingOutputsError
from clusterwright.migration.results import Migration, Note

__all__ = ["Migration", "MissingOutputsError", "Note", "migrate"]
