"""CloudFormation's API: one function per operation, registered with the gateway when imported.

Parameters have passed the API model, and answers are checked against it, by the gateway. An
operation that is not implemented here is refused immediately, with a code that no SDK retries.
"""

API = (
    "change_sets",
    "describe",
    "drift",
    "exports",
    "recovery",
    "signal_resource",
    "stacks",
    "templates",
)
WHOLE = True
