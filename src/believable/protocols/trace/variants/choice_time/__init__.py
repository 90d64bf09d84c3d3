"""With the moment of the choice as an arm: half of the people choose right after playing, before
anything is annotated.
"""
