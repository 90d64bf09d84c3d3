"""The study of this protocol about something else; see `believable.protocols.variants`."""
