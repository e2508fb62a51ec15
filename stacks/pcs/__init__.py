"""AWS PCS (Parallel Computing Service)."""
