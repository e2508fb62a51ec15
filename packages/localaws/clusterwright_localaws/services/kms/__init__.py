"""AWS KMS: key states, rotation and quotas."""

API = ("deletion", "rotation")
FIXES = ("pending_deletion", "limits", "key_use", "answers")
