"""AWS Price List Query API, over the catalogue and the world's prices."""

API = ("api",)
WHOLE = True
