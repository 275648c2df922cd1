"""What the documentation needs that Sphinx has not."""
