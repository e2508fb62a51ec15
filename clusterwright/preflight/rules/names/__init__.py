"""Names that the stacks give their resources, and existing resources of the same name."""
