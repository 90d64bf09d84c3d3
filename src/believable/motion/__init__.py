"""How something moves, seen from itself: one track in, features with their curves out.

Only motion is read, never the controls: buttons and sticks would reveal the input device. A world
turns its recordings into tracks (`World.motion`); tables of other games become tracks without a
world.
"""
