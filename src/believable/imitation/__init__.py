"""An agent that learns from one person's recordings and plays like them (Gorman, Thurau, Bauckhage
& Humphrys 2006).

One module per step: `observations` → `topology` → `prototypes` → `paths` → `values` → `mixture` →
`next_node` (where to go), and `primitives` → `motion` → `chain` (how to move there); `imitator`
puts them together. It knows no world: its input from one is in `Observations`, and a world turns
its `MoveCommand` into an input.
"""
