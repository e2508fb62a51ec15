"""Our CloudFormation: templates in, API calls out, with the states and events of AWS.

Nothing of moto's CloudFormation is used: it creates resources when they are read,
ignores unknown types and properties, and validates nothing. Here every resource goes through the
API of its service, so that what the API refuses, the stack refuses.
"""

from __future__ import annotations


def install() -> None:
    """Answer every operation of CloudFormation; those that are not built with a refusal."""
    from clusterwright_localaws.cloudformation import api  # noqa: F401 - registers itself
