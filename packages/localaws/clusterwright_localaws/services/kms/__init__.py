"""AWS KMS: use, states, rotation, imports and replicas of keys, and quotas."""

API = (
    "data_key_pairs",
    "data_keys",
    "deletion",
    "encryption",
    "imports",
    "replicas",
    "requests",
    "rotation",
    "signatures",
)
FIXES = ("pending_deletion", "limits", "key_use", "answers", "descriptions", "identifiers")
