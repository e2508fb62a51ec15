"""EKS with managed node groups: `platform: eks`."""
