"""Rules that ask the account."""
