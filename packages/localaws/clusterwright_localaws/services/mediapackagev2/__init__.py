"""AWS Elemental MediaPackage v2."""

FIXES = ("channel_times",)
