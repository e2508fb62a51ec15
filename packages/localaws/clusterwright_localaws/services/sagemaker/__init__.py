"""Amazon SageMaker HyperPod: clusters, nodes, events, training plans, governance."""

API = (
    "batch",
    "clusters",
    "events",
    "governance",
    "health",
    "lists",
    "plans",
    "software",
    "tags",
    "updates",
)
