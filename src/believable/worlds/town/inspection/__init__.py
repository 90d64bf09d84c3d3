"""A page on what went on in the minds of a run: timeline, memories with scores, plans, prompts and
answers.
"""
