"""What the operating commands conclude from a cluster's state: pure, no calls and no clock."""
