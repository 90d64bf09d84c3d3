"""Reads a recording of a town and lists the mistakes in it.

    rules           the rules with their categories, the findings, and the norms of norms.yaml
    replayed_town   the contents of a recording: places, objects, positions, time
    action_checks   mistakes in single actions, with the state that follows from the log
    track_checks    mistakes in tracks and nights
    checker         all findings, and a recording with the findings of each action

The checker knows no mind and shares no code with any. It replays the log from the recording alone
(positions, open doors, switches, things in hands) and compares it with `norms.yaml`. It judges
only facts that a recording contains: logs of other towns, without objects, hours or activities, are
checked as far as possible, and `TownFindings.skipped` lists the rest.
"""
