"""Amazon EKS: clusters, access, add-ons, node groups, pod identity. No workload runs."""

API = (
    "access",
    "addons",
    "capabilities",
    "clusters",
    "nodegroups",
    "pod_identity",
    "replacements",
    "tags",
    "updates",
    "versions",
)
WHOLE = True
