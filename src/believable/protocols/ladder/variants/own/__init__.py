"""With clips that the author brings, of any conditions."""
