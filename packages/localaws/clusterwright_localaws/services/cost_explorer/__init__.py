"""AWS Cost Explorer, over the spending that the world states."""

API = ("api",)
