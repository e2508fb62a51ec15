"""The CDK stacks of a cluster, in folders by subject and platform.

Importing this package selects the Node that runs the CDK, so it must precede every import of
`aws_cdk`. It does not load the CDK: an invalid spec is refused before.
"""

from stacks import jsii_runtime
from stacks.entry import add_policies, build, open_app, read_spec, write

jsii_runtime.choose()

__all__ = ["add_policies", "build", "open_app", "read_spec", "write"]
