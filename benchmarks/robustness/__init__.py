"""How classifiers hold up under wrong labels: nacre's boosters beside their peers."""
