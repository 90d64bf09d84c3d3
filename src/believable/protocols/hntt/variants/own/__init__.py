"""With clips that the author brings."""
