"""The encryption key, and statements that the roles of nodes share."""
