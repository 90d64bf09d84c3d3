"""Everything that speaks HTTP: the participant's pages, the researcher's console, their templates
and scripts.
"""
