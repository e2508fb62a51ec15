"""`make bench`: what start-up, synthesis and deployment cost, each beside something known."""
