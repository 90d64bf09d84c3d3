"""A learned player, people and the engine's bots: `believable new NAME --protocol clips
--recordings DIR`.
"""
