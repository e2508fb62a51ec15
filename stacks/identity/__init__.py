"""The encryption key and what roles of nodes have in common."""
