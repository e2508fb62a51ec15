"""Facts of an account: declared by rules, read once, in parallel, with a deadline."""
