"""Amazon EKS with managed node groups."""
