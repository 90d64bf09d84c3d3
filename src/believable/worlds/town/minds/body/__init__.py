"""The body that all minds share.

body          carries out tasks; waits, tries again and gives up after refusals
planner       plans the preconditions of a task backwards
talking       speaks an exchange line by line
situation     what a person knows about the town and themselves, as text for prompts
"""
