"""A page about the minds of a run: timeline, memories with scores, plans, prompts and answers."""
