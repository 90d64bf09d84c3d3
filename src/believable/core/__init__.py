"""The foundation: errors, registries, ids, clocks and seeds. Imports no other package of ours."""
