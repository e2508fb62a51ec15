"""Amazon SageMaker HyperPod: clusters, nodes, events, training plans, governance."""

API = (
    "attachments",
    "batch",
    "clusters",
    "events",
    "extensions",
    "governance",
    "health",
    "lists",
    "operations",
    "plans",
    "software",
    "tags",
    "updates",
)
