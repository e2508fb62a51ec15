"""`localaws record` and `localaws replay`: a user's own calls as a test of the local AWS."""
