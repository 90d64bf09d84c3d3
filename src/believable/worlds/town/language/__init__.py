"""Language models behind one interface: an endpoint, models on this machine, recorded answers."""
