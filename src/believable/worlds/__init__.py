"""Game worlds: pure rules, how they are drawn (as plain data), and environments for training."""
