"""The records that declare parts, and the records used in them."""
