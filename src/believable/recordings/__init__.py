"""Recordings of behaviour: the `believable-replay/1` format and importers of other tools' logs."""
