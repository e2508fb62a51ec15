"""The tag by which everything of an environment is known, to stacks and to cost reports alike."""

from __future__ import annotations

from typing import Final

ENVIRONMENT_TAG: Final = "clusterwright:environment"
"""On every resource that the stacks make; to be activated as a cost allocation tag."""
