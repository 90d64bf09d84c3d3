"""The course of a day: its goals, the change from one to the next, and the free time between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from believable.worlds.town.clock import MINUTES_PER_DAY, STEPS_PER_DAY, STEPS_PER_MINUTE
from believable.worlds.town.map import activities
from believable.worlds.town.mind import Percept, PlanEntry, Primitive
from believable.worlds.town.minds.body.planner import CLEANUP, AgendaTask
from believable.worlds.town.minds.generative.experience import Experience
from believable.worlds.town.minds.generative.perception import Observation
from believable.worlds.town.minds.generative.planning import describe_persona, wished_tasks
from believable.worlds.town.minds.neurosymbolic.goals import TownGoal, day_goals
from believable.worlds.town.minds.neurosymbolic.methods import tasks_of
from believable.worlds.town.minds.neurosymbolic.model_goals import add_model_goals
from believable.worlds.town.minds.neurosymbolic.person import NeurosymbolicPerson
from believable.worlds.town.minds.neurosymbolic.schedule import ScheduledGoal, schedule

#: The text of tasks that move things.
MOVE_TEXTS = {"get": "getting the {}", "put": "putting the {} away"}
#: This late for the next goal, the person only tidies up.
LATE_MINUTES = 20
#: Work is planned in parts of this length.
WORK_MINUTES, MIN_WORK_MINUTES = 25.0, 6
MIN_GOAL_MINUTES = 3.0
#: Free time of more than this is filled; with more than `HOME_MINUTES` the person goes home.
IDLE_MINUTES, HOME_MINUTES, REST_MINUTES, MAX_WAIT_MINUTES = 6, 20, 15.0, 5.0
LEISURE_MINUTES = (8, 25)
PLEASANT = ("park", "square", "garden", "library", "cafe", "hall")
LEISURE = ("read", "rest", "write", "browse", "sit", "look")
#: Memories in the prompt of a new plan.
N_RECALLED = 8


def start_day(person: NeurosymbolicPerson, percept: Percept) -> None:
    """Choose the goals of the day and put them in order."""
    rng = person.rng("goals", percept.day)
    goals = day_goals(person.persona, person.town, person.stock, percept.day, rng)
    person.talks.said = []
    if person.experience is not None:
        goals = _ask_for_goals(person, person.experience, goals, percept)
    _schedule_goals(person, goals, percept)


def _ask_for_goals(
    person: NeurosymbolicPerson, experience: Experience, goals: Sequence[TownGoal], percept: Percept
) -> list[TownGoal]:
    """Add goals that the model proposes for the free hours."""
    people = person.setting.people
    recalled, yesterday = experience.recall_yesterday(percept, N_RECALLED)
    wishes = wished_tasks(
        experience.asker,
        person.persona,
        people,
        person.town,
        describe_persona(person.persona, people),
        day=percept.day,
        yesterday=yesterday,
        retrieved=recalled,
    )
    person.counts["days without readable wishes"] += wishes is None
    return add_model_goals(goals, wishes or (), person.persona, person.town, person.counts)


def _schedule_goals(
    person: NeurosymbolicPerson, goals: Sequence[TownGoal], percept: Percept
) -> None:
    left_out: Sequence[tuple[TownGoal, str]] = ()
    if person.has_schedule:
        plan = schedule(goals, person.town, percept.minute, percept.building)
        person.entries, left_out = list(plan.entries), plan.left_out
    else:
        person.entries = [
            ScheduledGoal(goal, goal.window[0], goal.window[0], goal.window[0] + goal.minutes)
            for goal in goals
        ]
    person.counts["schedule day"] += 1
    person.goal_index, person.body.agenda = -1, []
    day, trace = percept.day, person.setting.trace
    midnight = day * STEPS_PER_DAY
    whole = PlanEntry(
        id=person.day_id(day),
        parent=None,
        level=0,
        from_step=midnight,
        to_step=midnight + STEPS_PER_DAY,
        text=f"Day {day + 1}",
    )
    trace.plan([whole, *(person.goal_entry(entry, day) for entry in person.entries)])
    for goal, reason in left_out:
        person.counts["goals left out"] += 1
        dropped = ScheduledGoal(goal, goal.window[0], goal.window[0], goal.window[1])
        entry = person.goal_entry(dropped, day)
        trace.plan([replace(entry, status="dropped", reason=reason)])
        trace.note("left out", {"goal": goal.name, "reason": reason})


def turn_to_goal(person: NeurosymbolicPerson, percept: Percept) -> None:
    """Change to the goal of this minute. The rest of the goal before it is dropped, except for
    tidying up.
    """
    minute = percept.minute
    while (following := person.next_entry) is not None and minute >= following.leaves:
        if person.body.agenda and person.entry is not None:
            late = minute >= following.leaves + LATE_MINUTES
            if person.entry.goal.is_work or late:
                person.body.agenda = [
                    task for task in person.body.agenda if {task.kind, task.name} & set(CLEANUP)
                ]
            if person.body.agenda:
                return
        _close_goal(person, percept.day)
        person.goal_index += 1
        if person.experience is not None:
            _remember_goal(person, person.experience, percept)
        _open_goal(person, percept)
    entry = person.entry
    if (
        entry is not None
        and not person.body.agenda
        and entry.goal.is_work
        and entry.ends - minute > MIN_WORK_MINUTES
    ):
        _open_goal(person, percept)


def _open_goal(person: NeurosymbolicPerson, percept: Percept) -> None:
    """Put the tasks of the present goal on the agenda."""
    entry = person.entries[person.goal_index]
    goal, persona = entry.goal, person.persona
    person.is_idle = False
    minutes = _goal_minutes(person, entry, percept.minute)
    rng = person.rng("tasks", percept.day, goal.name)
    carried = tuple(thing.kind for thing in percept.carried)
    left = entry.ends - percept.minute
    tasks = tasks_of(goal, persona, round(minutes, 1), left, carried, rng) if minutes > 0 else []
    goal_id, start = f"{person.day_id(percept.day)}-{goal.name}", percept.step
    person.body.agenda = []
    for task in tasks:
        person.body.rng_counter += 1
        end = start + round((task.minutes or 5) * STEPS_PER_MINUTE)
        planned = PlanEntry(
            id=f"{goal_id}-{person.body.rng_counter}",
            parent=goal_id,
            level=2,
            from_step=start,
            to_step=end,
            text=activities()[task.name].en
            if task.kind == "do"
            else MOVE_TEXTS[task.kind].format(task.name),
        )
        person.setting.trace.plan([planned])
        person.body.agenda.append(task)
        start = end


def _remember_goal(person: NeurosymbolicPerson, experience: Experience, percept: Percept) -> None:
    """Remember the goal that begins. At bedtime the memories of the day are rated."""
    goal, name = person.entries[person.goal_index].goal, person.persona.name
    if goal.name == "sleep":
        experience.rate()
    text = f"{name}: {goal.text}"
    experience.observe(Observation(text, (name, goal.activity)), percept.step)


def _goal_minutes(person: NeurosymbolicPerson, entry: ScheduledGoal, minute: float) -> float:
    goal = entry.goal
    if goal.name == "night":
        return goal.window[1] - minute
    if goal.name == "sleep":
        return MINUTES_PER_DAY - minute + person.persona.wakes
    minutes = min(goal.minutes, max(MIN_GOAL_MINUTES, entry.ends - minute))
    return min(minutes, WORK_MINUTES) if goal.is_work else minutes


def _close_goal(person: NeurosymbolicPerson, day: int) -> None:
    if person.entry is None:
        return
    left = [task.name for task in person.body.agenda]
    entry = person.goal_entry(person.entry, day)
    closed = replace(entry, status="dropped" if left else "done", reason=", ".join(left))
    person.setting.trace.plan([closed])
    person.counts["goals with tasks left" if left else "goals done"] += 1


def fill_time(person: NeurosymbolicPerson, percept: Percept) -> Primitive | None:
    """Put a leisure activity on the agenda (None), or wait for the next goal."""
    person.is_idle = True
    following = person.next_entry
    until = following.leaves if following is not None else MINUTES_PER_DAY
    free = until - percept.minute
    building = person.town.buildings.get(percept.building)
    closes = building.closes if building is not None else None
    rng = person.rng("leisure")
    at_home = percept.building == person.persona.home
    stays_open = closes is None or closes - percept.minute > IDLE_MINUTES
    if (at_home or percept.building in PLEASANT) and free > IDLE_MINUTES and stays_open:
        for name in rng.sample(LEISURE, len(LEISURE)):
            minutes = float(min(rng.randint(*LEISURE_MINUTES), int(free)))
            task = AgendaTask(kind="do", building=percept.building, name=name, minutes=minutes)
            if person.body.planner.fixture_for(task, percept, rng) is not None:
                person.counts["leisure"] += 1
                person.body.agenda = [task]
                return None
    if free > HOME_MINUTES and not at_home:
        home = person.persona.home
        person.body.agenda = [
            AgendaTask(kind="do", building=home, name="rest", at="sofa", minutes=REST_MINUTES)
        ]
        return None
    return Primitive(verb="wait", minutes=max(1 / STEPS_PER_MINUTE, min(MAX_WAIT_MINUTES, free)))
