"""AWS PCS (Parallel Computing Service): `platform: pcs`."""
