"""IAM: the policy simulator, permissions boundaries and OpenID Connect clients."""

API = ("boundaries", "context_keys", "oidc_clients", "simulator")
FIXES = (
    "managed_policies",
    "managed_policy_cache",
    "policy_limits",
    "limits",
    "trust_policies",
    "policy_deletion",
    "group_deletion",
    "unique_ids",
    "linked_roles",
    "created_roles",
    "boundaries",
    "error_messages",
    "policy_arns",
    "deleted_principals",
)
