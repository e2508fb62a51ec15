"""AWS Systems Manager: parameters, public parameters, documents, sessions to HyperPod's nodes."""

API = ("sessions", "parameters")
FIXES = (
    "documents",
    "public_parameters",
    "allowed_patterns",
    "selectors",
    "labels",
    "paths",
    "secrets",
)
