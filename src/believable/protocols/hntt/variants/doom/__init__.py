"""In a real 3D game, Doom by ViZDoom and Freedoom; needs the extras `doom` and `video`."""
