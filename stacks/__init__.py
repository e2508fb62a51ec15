"""The CDK stacks of a cluster: one stack or construct per file, names `<environment>-<part>`.

Importing this package decides which Node runs the CDK, so it comes before any import of `aws_cdk`,
and is quick: a wrong spec is refused before the CDK is loaded.
"""

from stacks import jsii_runtime
from stacks.entry import add_policies, build, open_app, read_spec, write

jsii_runtime.choose()

__all__ = ["add_policies", "build", "open_app", "read_spec", "write"]
