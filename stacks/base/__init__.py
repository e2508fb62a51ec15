"""What all stacks use: their base class, names, tags and accepted linter findings."""
