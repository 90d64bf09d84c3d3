"""`trace`: time-continuous believability, and whether it goes with the final choice."""
