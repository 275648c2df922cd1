"""A person decides about suspects, and nacre learns from it."""
