"""A study to start from; see `believable.protocols.templates`."""
