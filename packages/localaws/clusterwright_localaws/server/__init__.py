"""The HTTP server, the gateway that every call passes, and the hooks into moto."""
