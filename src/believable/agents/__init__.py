"""Who acts in the worlds."""
