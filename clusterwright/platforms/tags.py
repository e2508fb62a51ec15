"""The tag that identifies all resources of an environment, in stacks and cost reports."""

from __future__ import annotations

from typing import Final

ENVIRONMENT_TAG: Final = "clusterwright:environment"
"""Key of the tag on every resource of the stacks; activate it as a cost allocation tag."""
