"""Language models behind one interface: an endpoint, models that run on this machine, and answers
given before.
"""
