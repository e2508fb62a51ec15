"""AWS KMS: key states and quotas."""

FIXES = ("pending_deletion", "limits", "key_use")
