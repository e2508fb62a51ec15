"""The CDK stacks of a cluster: one stack or construct per file, names `<environment>-<part>`.

Importing this package decides which Node runs the CDK, so it comes before any import of `aws_cdk`.
"""

from stacks import node_runtime

node_runtime.choose()

from stacks.build import build  # noqa: E402
from stacks.entry import add_policies, open_app, read_spec, write  # noqa: E402

__all__ = ["add_policies", "build", "open_app", "read_spec", "write"]
