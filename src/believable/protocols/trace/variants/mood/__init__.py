"""With the opponent's mood as an arm: half of the people see its face."""
