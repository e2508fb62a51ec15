"""IAM: the simulator, permissions boundaries, protected roles and OpenID Connect clients."""

API = ("boundaries", "context_keys", "oidc_clients", "protected_roles", "simulator", "user_quotas")
FIXES = (
    "managed_policies",
    "managed_policy_cache",
    "policy_limits",
    "limits",
    "trust_policies",
    "policy_grammar",
    "policy_deletion",
    "group_deletion",
    "user_deletion",
    "names",
    "unique_ids",
    "linked_roles",
    "created_roles",
    "boundaries",
    "error_messages",
    "policy_arns",
    "deleted_principals",
)
