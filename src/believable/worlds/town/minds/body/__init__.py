"""The body that all minds share.

body          carries out tasks; waits, tries again and gives up after refusals
planner       plans the preconditions of a task backwards
talking       speaks an exchange line by line
situation     a person's knowledge of the town and of themselves, as text for prompts
"""
