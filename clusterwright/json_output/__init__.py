"""The JSON output of each command: pydantic models, from which its JSON Schema is generated."""
