"""AWS Systems Manager: public parameters, documents, sessions to HyperPod's nodes."""

API = ("sessions",)
FIXES = ("documents", "public_parameters", "allowed_patterns", "selectors")
