"""Amazon Timestream, writes."""

FIXES = ("table_defaults",)
