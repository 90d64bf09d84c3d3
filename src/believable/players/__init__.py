"""How a stimulus is shown: one folder per player, each a record and a browser module with one contract.

The module gives `time_ms, play, pause, seek, rate, on`, whatever kind of stimulus it shows.
"""
