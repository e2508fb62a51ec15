"""AWS Systems Manager: public parameters."""

FIXES = ("public_parameters",)
