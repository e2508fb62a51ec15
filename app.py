"""The CDK app: read a spec and build its stacks.

`cdk deploy -c env=prod --all`, or without the CDK's command line
`CLUSTERWRIGHT_ENV=prod python app.py`, which writes the same templates.
"""

from __future__ import annotations

import stacks
from clusterwright.preflight.cdk_plugin import add as add_rules

spec = stacks.read_spec()
app = stacks.open_app()
stacks.build(app, spec)
stacks.add_policies(app)
add_rules(app, spec)
stacks.write(app)
