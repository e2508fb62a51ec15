"""Required tags and the tag policy of the organization."""
