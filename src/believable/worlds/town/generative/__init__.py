"""The parts of a generative agent (Park et al. 2023), each by itself: memory, retrieval,
reflection, plans, reactions, talk.
"""
