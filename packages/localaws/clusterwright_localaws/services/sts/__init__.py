"""AWS STS: sessions with tags and policies, and the caller's identity."""

API = ("identity", "sessions")
FIXES = ("transitive_tags",)
