"""Service Quotas: the catalogue's quotas with the values of the world."""

API = ("api",)
WHOLE = True
