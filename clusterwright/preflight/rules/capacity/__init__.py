"""Instance types, kinds of capacity, placement groups and EFA."""
