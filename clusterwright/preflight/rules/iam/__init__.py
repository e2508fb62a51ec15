"""Roles, permissions boundaries, KMS keys and secrets."""
