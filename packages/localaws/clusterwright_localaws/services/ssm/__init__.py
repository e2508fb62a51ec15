"""AWS Systems Manager: parameters, public parameters, documents, sessions to HyperPod's nodes."""

API = ("sessions", "parameters")
FIXES = (
    "documents",
    "public_parameters",
    "allowed_patterns",
    "asked_names",
    "selectors",
    "labels",
    "paths",
    "secrets",
)
