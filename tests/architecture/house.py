"""The package in figures: `python tests/architecture/house.py` prints files, lines and names used twice; a test keeps them."""

from __future__ import annotations

import ast
import functools
import gc
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, nodes

SOURCE = Path(__file__).resolve().parents[2] / "src" / "believable"

#: What came into the house after it was rebuilt by subject: a folder, a file, or what is named in a file of the base.
ADDITIONS: Mapping[str, tuple[str, ...]] = {
    "rights in each study, audit log, second factor, log-in elsewhere": (
        "store/rights.py",
        "store/audit_log.py",
        "cli/audit.py",
        "core/one_time_codes.py",
        "store/second_factor.py",
        "store/identities.py",
        "web/qr_code.py",
        "web/oidc_tokens.py",
        "web/console/second_factor_page.py",
        "web/console/oidc_page.py",
        "web/console/people_page.py",
        "web/console/audit_page.py",
        "cli/user.py:_study_name,forget_identity,rules,second_factor_off,set_administrator",
        "store/accounts.py:set_administrator,_keep_an_administrator",
        "web/app.py:oidc_client",
        "web/console/coding_page.py:_must_lead",
        "web/console/console_page.py:looked,rights,offered_to",
        "web/console/guard.py:_has_role,_lacks_factor",
        "store/database_tables.py:APPEND_ONLY,identities,recovery_codes,second_factors,server_rules,study_roles",
    ),
    "the maze by the batch, compiled": ("worlds/maze/batch_rounds.py", "worlds/maze/batch_minds.py", "worlds/maze/vector_env.py"),
    "rounds in three dimensions, and of any environment": (
        "worlds/doom",
        "worlds/gym",
        "worlds/environments.py",
        "worlds/round_process.py",
        "worlds/picture_stream.py",
        "worlds/world_check.py:_control_problems,_film_problems",
        "web/participant/round_room.py",
        "web/participant/played_round.py",
        "web/participant/round_course.py:RoundTroubles,InputAllowance,_SentPictures",
        "web/participant/play.py:_connected,_waited,_in_line",
        "cli/train.py",
        "report/agent_figures.py",
        "stats/smoothness.py",
        "recordings/film_file.py",
        "recordings/importers/minari_dataset.py",
        "stimuli/freedoom.py",
        "protocols/doom_films.py",
        "protocols/own_clips.py",
        "protocols/variants.py",
        "protocols/hntt/variants",
        "protocols/hntt/clip_behaviour.py",
        "protocols/hntt/control_pairs.py",
        "protocols/clips/variants",
        "cli/record.py:_command,_look,_program,_by_agent,_play,_played_tasks,_task_command,_record_people",
        "cli/importing.py:minari",
        "cli/stimuli.py:freedoom_command",
        "worlds/contract.py:MouseLook,GameControls,AgentTask,_loaded",
        "worlds/live_round.py:play_through",
        "web/participant/round_course.py:_send_image",
        "protocols/contract.py:write_agent_clips,shows_agents,masks,write_town_days,shows_towns",
        "web/participant/round_course.py:_film_size,_make_room",
        "web/participant/play.py:_coding",
        "web/settings.py:rounds_at_once",
        "worlds/play_trial.py:rendered",
        "worlds/contract.py:Rendering",
        "core/work.py:Companion,_converse",
        "protocols/contract.py:ShownAgents",
        "protocols/hntt/people.py:_is_human,_seen_in,clip_appeal",
        "protocols/hntt/navigation_judgements.py:compared,mismatched",
        "worlds/contract.py:RenderedGame,View",
        "worlds/live_round.py:_skip",
        "stimuli/raster.py:_at_moments,_frame_at,_preset",
        "web/participant/round_course.py:GaveUpRound,_controls_message",
    ),
    "a player that learns from one person's recordings": (
        "imitation",
        "cli/imitation.py",
        "cli/importing.py:quake2",
        "report/learned_page.py",
        "recordings/importers/dm2.py",
        "recordings/importers/quake2.py",
        "stimuli/constant_rate.py",
        "stimuli/blinding.py",
        "cli/agent_studies.py",
        "cli/stimuli.py:blinding_command",
        "protocols/contract.py:write_recorded_clips",
        "protocols/clips/analysis.py:conditions_table",
        "protocols/clips/clip_ratings.py:only,conditions",
        "stimuli/recipe.py:key_every",
        "stimuli/standardise.py:_coded",
    ),
    "designs of one's own": (
        "analysis/own_design",
        "study/own_design.py",
        "study/measures.py",
        "study/checks/own_measures.py",
        "study/checks/protocol_fit.py",
        "simulate/own_people.py",
        "protocols/templates",
        "bundle/judgements.py",
        "cli/new.py:chosen,counting,_take,speak",
        "cli/list.py:ready_studies",
        "report/blind.py:_unworded",
        "report/blind.py:arm_letters,_with_arm_letters",
        "analysis/registered.py:_measures",
    ),
    "what a report may say, and when": (
        "analysis/side_by_side.py",
        "analysis/power_record.py",
        "analysis/procedure.py",
        "analysis/verdicts.py:restraint_of,_judged,_why_not,_restrained,_worded",
        "simulate/power_curve.py:assumptions,_explained",
        "cli/power.py:power_record",
        "core/citation.py",
        "report/redact.py:relative_times",
        "report/flow.py:_branches,_kept",
        "protocols/hntt/pass_chances.py",
        "protocols/clips/analysis.py:published_table",
        "protocols/trace/analysis.py:_tools_finding,_recency,_by_time,_time_section,_time_finding",
        "protocols/trace/variants",
        "stats/correlations.py:correlations_compared",
        "stats/counts.py:fisher",
        "stats/indices.py:_design_effect",
        "stats/models/random_effects.py:likely_start,_by_moments,_solved_sparse,_cross,_pair",
        "analysis/findings.py:JudgedHypothesis",
        "analysis/verdicts.py:Restraint,JudgedFindings,_untested",
        "analysis/paragraphs.py:_deviating,_of_hypothesis,_verdict",
        "analysis/run.py:_begun_before,_first_events",
        "simulate/power_curve.py:Assumption",
        "cli/power.py:assumptions_text",
        "report/figure_files.py:ordered,_described,_sorted_names,_renumbered",
        "report/redact.py:_redescribed,_trace_rows,_at_ms,_later,_times_of",
        "protocols/replay/analysis.py:why_table",
        "stats/correlations.py:_differing_slopes",
        "stats/inputs.py:check_squarable",
        "stats/models/logistic.py:_always_alike",
        "analysis/findings.py:mark",
        "analysis/paragraphs.py:_lead",
        "protocols/replay/analysis.py:_flag_models",
        "protocols/replay/flag_outcomes.py:_unwatched",
        "analysis/exclusions.py:_review_words",
        "analysis/numbers.py:in_words",
        "analysis/paragraphs.py:_left_out_beside,_named_once",
        "analysis/preregistration.py:_stimuli,_said",
        "analysis/protocol.py:nothing_to_plan",
        "analysis/result_files.py:_marked,_marked_csv",
        "analysis/run.py:_in_words,_missing",
        "analysis/verdicts.py:_as_expected",
        "study/checks/analysis_plan.py:_expects",
        "cli/power.py:table_text",
        "protocols/hntt/navigation_reasons.py:definitions",
        "protocols/qa/analysis.py:warnings",
        "protocols/qa/annotator_scores.py:task_intervals",
        "protocols/replay/analysis.py:_of_effects",
        "protocols/replay/day_tables.py:term_words",
        "protocols/trace/analysis.py:_estimate,_instrument_section,_measure,_r",
        "report/figure_files.py:_spare_px",
        "report/flow.py:FlowColumn",
        "report/layout.py:across,tall,wide",
        "stats/agreement/krippendorff.py:_chance_of_two_values",
        "stats/means.py:_far_values",
        "stats/regression.py:_of_constant",
        "protocols/replay/flag_outcomes.py:FLAG_FORMULAS",
    ),
    "imports of more layouts": (
        "recordings/importers/agent_movements.py",
        "bundle/two_choices.py",
        "bundle/imports.py:pagan_traces,prepared_traces,sessions_of,contradictory,_participant",
        "cli/importing.py:choices,_parts_words,_several_words",
        "bundle/imports.py:ForeignTrace,ForeignSession,imported_participant",
        "recordings/importers/generative_agents.py:_world_of_ways",
        "bundle/imports.py:_values",
        "bundle/signals.py:attached",
        "recordings/importers/generative_agents.py:_end,_open,_seconds_per_step",
        "recordings/importers/pagan.py:source_names",
    ),
    "what participants see": (
        "pages/recall",
        "protocols/replay/attention_words.py",
        "worlds/maze/flashes.py",
        "worlds/maze/draw.py:_shadows,_spikes",
        "worlds/maze/opponents.py:_Unrest,_blurred",
        "bundle/marks.py:_repeated",
        "study/plan.py:_PageChoice",
        "collect/page_events.py:_with",
        "pages/submission.py:watched_enough,still_to_watch,unseen",
        "worlds/maze/draw.py:_readouts",
        "worlds/maze/opponents.py:_look_round",
        "instruments/btrace/__init__.py:perform",
        "instruments/tracing/__init__.py:hold",
        "protocols/trace/people.py:_held",
        "worlds/maze/draw.py:_brows,_scene,_sprites",
        "worlds/maze/game.py:_listen",
        "worlds/maze/record.py:_see_as_player",
        "worlds/maze/rules.py:player_sees",
        "worlds/maze/temper.py:expression",
        "collect/join.py:mark_name,_marks",
        "collect/page_events.py:share,_whole",
        "collect/recruiting.py:_any_id",
        "instruments/tracing/__init__.py:repeats",
        "pages/check/__init__.py:reminds_of",
        "pages/device/__init__.py:ToneRow",
        "pages/watch/__init__.py:shown_turn",
        "protocols/trace/analysis.py:_choice_times",
        "protocols/trace/people.py:_marks",
        "recordings/recording.py:seen_pieces,_piece",
        "recordings/scene.py:Readout",
        "simulate/behaviour.py:_texts",
        "stimuli/signal.py:through",
        "study/bases.py:turns",
        "study/checks/blocks.py:check_turns",
        "study/plan.py:_about_watched,turn,turn_of",
        "study/records.py:about_watched,reminds_of,shown_turn",
        "web/participant/trial.py:_reminded,_reminder",
        "worlds/maze/opponents.py:_arrive,_eyes_on,_listen,_onwards,_turned,_waits,_way_out,mood",
        "worlds/maze/record.py:_see_effects",
        "instruments/tracing/__init__.py:HOLD",
        "worlds/maze/draw.py:_FACES",
    ),
    "a town that lives": (
        "cli/town.py",
        "recordings/importers/concordia.py",
        "worlds/town/generative",
        "worlds/town/inspection",
        "worlds/town/language",
        "worlds/town/mind.py",
        "worlds/town/minds",
        "worlds/town/primitive_words.py",
        "worlds/town/rule_checker.py",
        "worlds/town/town_folder.py",
        "worlds/town/town_looks.py",
        "worlds/town/town_map.py",
        "worlds/town/town_recording.py",
        "worlds/town/town_run.py",
        "worlds/town/town_state.py",
        "worlds/town/townsfolk.py",
        "worlds/town/way_legs.py",
        "protocols/replay/noticed_violations.py",
        "protocols/replay/stimuli.py",
        "cli/importing.py:concordia",
        "pages/rate/__init__.py:rated_turn",
        "protocols/replay/flag_outcomes.py:_main_speed",
        "protocols/replay/people.py:_rating_pages,_standing_out,d_prime",
        "recordings/file.py:used_columns,_without_empty,_world_tree",
        "recordings/recording.py:RecordedObject,judged_action,judged_step",
        "recordings/scene.py:_stacked",
        "simulate/demonstration.py:violations_of",
        "simulate/pool.py:_about",
        "stimuli/raster.py:_around,_name_boxes,_shared,bubble_place",
        "study/records.py:rated_turn",
        "protocols/replay/people.py:_D_OF",
        "recordings/scene.py:_touch",
    ),
    "out of the laboratory": (
        "cli/demo_studies.py",
        "core/object_storage.py",
        "recordings/field_types.py",
        "web/connections.py",
        "web/start_page.py",
        "cli/backup.py:surplus,key_path,key_beside,copy_key,put_key_back",
        "cli/demo.py:prepared_behind",
        "cli/place.py:working_on",
        "cli/deployment.py",
        "core/errors.py:reading",
        "core/work.py:on_cluster,_client,_must_be_alike,_version,_ClusterExecutor,_with_one_numeric_thread",
        "recordings/file.py:_unfolded",
        "stimuli/raster.py:_pillow",
        "store/alarms.py:stands",
        "store/accounts.py:device_mark",
        "store/backups.py:_verified",
        "store/database.py:owner_folder,owner_only,damages,leave_mark",
        "store/engine.py:examine,atroubles",
        "store/studies.py:definition_plan,keep_definition_plan",
        "store/writer.py:stuck_s,_store_groups,_one_by_one,LastingTrouble,read_trouble",
        "web/app.py:Readiness,ready",
        "web/console/guard.py:device_of,set_device",
        "web/participant/media_ranges.py:sent_by_proxy",
        "web/security.py:_refuse",
        "cli/backup.py:_LocalBackup,_into_bucket,_local,_newest,_note,_work_folder",
        "store/backups.py:last_backup_ms",
        "collect/context.py:ClosedRun,LatestKept",
        "collect/desk.py:claimed,next,_open,_keep",
        "study/plan.py:is_settled",
        "store/sessions.py:_change",
        "web/participant/trial.py:DrawnPage,texts_in",
        "web/problems.py:waits_out",
        "web/app.py:_answers",
        "bundle/rows.py:_leniently_parsed",
        "collect/desk.py:_untouched",
        "collect/page_events.py:unseen_players",
        "core/work.py:_begin_worker,_end_with_parent,_own_address,cluster_workers,must_be_here",
        "stimuli/probe.py:facts",
        "store/database.py:closed_to_others",
        "store/writer.py:_run",
        "web/console/account_page.py:_begun_try",
        "web/module_graph.py:_file_of,_imports,preloaded,with_imports",
        "web/participant/round_course.py:received",
        "cli/place.py:cluster_option,with_options",
        "core/errors.py:_DAMAGE",
        "core/work.py:_crew_part",
        "store/trouble.py",
        "core/whole_files.py",
        "store/writer.py:_LASTING",
        "store/fixed_statements.py",
        "bundle/column_values.py",
        "web/security.py:RefusedBody,_limit,whole_body",
        "web/templating.py:kept_page",
        "web/participant/events.py:_is_short_form",
        "web/participant/landing_page.py:NeededFiles,_needed_next",
    ),
    "the console of large studies": (
        "web/console/launch_page.py",
        "study/checks/launch.py",
        "web/console/codebook_fields.py",
        "web/console/sessions_page.py:ListView,list_view,session_filter,search_by_arm,marked_numbers,numbers_in_words,judge_many",
        "store/overview.py:SessionSearch,SessionFilter,chosen_sessions,sessions_by_number,_chosen,_matches",
        "store/monitor.py:CompletionRate,completion_rate",
        "store/review.py:judge_all,Looks,looks,latest_of,searching,_chunks",
        "store/review_views.py",
        "collect/review_intake.py",
        "coding/phrases.py:Phrases,phrases",
        "web/console/review_upkeep.py",
        "web/review_worker.py",
        "web/export_worker.py",
        "cli/recruit.py:_earned",
        "store/review_queue.py",
        "store/database_tables.py:review_answers,review_keys,review_sessions,review_states",
        "cli/place.py:remember_address,served_address",
        "store/collected.py:answered_true",
        "web/results_worker.py:plan_digest",
        "collect/review_hints.py:sharing_keys",
        "bundle/rows.py:_decided,_last",
        "collect/review_hints.py:kept_kinds",
        "store/collected.py:_reviewers,decision",
        "store/overview.py:dropped_out",
        "store/review.py:decision_about,judge,looking",
        "web/console/review_page.py:ReadAnswer,_read_answer",
        "web/console/sessions_page.py:arms_key",
        "store/overview.py:ORDERS",
        "store/review.py:DEED_WORDS,SESSION_DEEDS",
        "web/console/sessions_page.py:BULK_DEEDS",
    ),
}

#: Words that stand for a thing without saying which. A variable is called what it holds.
PRONOUNS = frozenset({"one", "found", "made", "given", "here", "told"})

#: Folders whose members are built alike: each member may have these files. Everywhere else a file's name is used once.
CONTRACT_STEMS = {
    "instruments": frozenset({"contract", "conformance", "reference", "params", "widget"}),
    "players": frozenset({"contract", "conformance", "reference"}),
    "worlds": frozenset({"contract", "conformance", "rules", "generate", "record", "draw", "live", "agents", "env", "setup"}),
    "protocols": frozenset({"contract", "conformance", "declaration", "analysis", "people", "stimuli", "truth"}),
    "pages": frozenset({"contract", "conformance", "record", "check", "judge", "rows", "message", "simulate"}),
}

#: Here a file is called like the command that is in it, whatever else has that name.
NAMED_AFTER_COMMANDS = "cli"


@functools.cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """Every node of a module's syntax tree. Read once: every rule looks at the same ones."""
    collects = gc.isenabled()
    gc.disable()  # a million nodes come to stay: looking through them again and again takes longer than reading them
    try:
        return tuple(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    finally:
        if collects:
            gc.enable()


def modules(*packages: str) -> list[tuple[str, Path]]:
    """Every module of these packages, or of all, with its place below the package."""
    folders = [SOURCE / package for package in packages] or [SOURCE]
    return [(str(file.relative_to(SOURCE)), file) for folder in folders for file in sorted(folder.rglob("*.py"))]


@dataclass(frozen=True, slots=True)
class House:
    """What was read of the source: places are paths below the package."""

    lines: Mapping[str, int]
    classes: Mapping[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    stems: Mapping[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    pronouns: Mapping[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    @property
    def double_classes(self) -> dict[str, list[str]]:
        return {name: places for name, places in sorted(self.classes.items()) if len(places) > 1}

    @property
    def double_stems(self) -> dict[str, list[str]]:
        return {name: places for name, places in sorted(self.stems.items()) if len(places) > 1}

    @property
    def median_lines(self) -> float:
        return statistics.median(count for place, count in self.lines.items() if not place.endswith("__init__.py"))


def read_house(source: Path = SOURCE) -> House:
    files = {str(file.relative_to(source)): file for file in sorted(source.rglob("*.py"))}
    house = House({place: file.read_bytes().count(b"\n") for place, file in files.items()})
    for place, file in files.items():
        for node in nodes_of(file):
            if isinstance(node, ast.ClassDef):
                house.classes[node.name.lstrip("_")].append(place)
        house.pronouns[place].extend(pronoun_lines(nodes_of(file)))
        package, stem = Path(place).parts[0], Path(place).stem
        if not stem.startswith("__") and package != NAMED_AFTER_COMMANDS and stem not in CONTRACT_STEMS.get(package, ()):
            house.stems[stem].append(place)
    for suffix, lines_of in ((".js", pronoun_lines_of_script), (".html", pronoun_lines_of_template)):
        for file in sorted(source.rglob(f"*{suffix}")):
            house.pronouns[str(file.relative_to(source))].extend(lines_of(file.read_text(encoding="utf-8")))
    return house


def pronoun_lines(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """The line of every variable, parameter and function that is called by a pronoun."""
    for node in nodes:
        if isinstance(node, ast.Name):
            name = node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = node.name.strip("_")
        elif isinstance(node, ast.arg):
            name = node.arg
        else:
            continue
        if name in PRONOUNS:
            yield node.lineno


_PRONOUN = rf"(?<![\w.$])(?:{'|'.join(sorted(PRONOUNS))})(?![\w$]|\s*:)"
_NOT_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
#: Where a script binds names: declarations, what they take apart, parameters of functions and arrows.
_BINDINGS = [
    re.compile(pattern)
    for pattern in (
        r"\b(?:const|let|var|function)\s+([\w$]+)",
        r"\b(?:const|let|var)\s*([\[{][^=]*?[\]}])\s*(?:=|of\b)",
        r"\bfunction\s*[\w$]*\s*\(([^()]*)\)",
        r"\(([^()]*)\)\s*=>",
        r"([\w$]+)\s*=>",
    )
]


def pronoun_lines_of_script(text: str) -> list[int]:
    """The line of every name that a script binds to a pronoun."""
    code = _NOT_CODE.sub(lambda match: "\n" * match[0].count("\n"), text)
    starts = {
        binding.start(1) + pronoun.start()
        for pattern in _BINDINGS
        for binding in pattern.finditer(code)
        for pronoun in re.finditer(_PRONOUN, binding[1])
    }
    return sorted(code.count("\n", 0, start) + 1 for start in starts)


def pronoun_lines_of_template(text: str) -> list[int]:
    """The line of every pronoun that a template binds, or is handed."""
    names = Environment(autoescape=True).parse(text).find_all(nodes.Name)
    return [name.lineno for name in names if name.name in PRONOUNS]


def figures(house: House) -> str:
    packages: defaultdict[str, list[int]] = defaultdict(list)
    for place, count in house.lines.items():
        packages[Path(place).parts[0] if "/" in place else "."].append(count)
    rows = [f"{package:14}{len(counts):6}{sum(counts):9,}" for package, counts in sorted(packages.items())]
    rows += [f"{'all':14}{len(house.lines):6}{sum(house.lines.values()):9,}", f"median of a file: {house.median_lines:g} lines"]
    for what, doubles in (("classes", house.double_classes), ("stems", house.double_stems)):
        rows.append(f"{what} of one name: {len(doubles)}")
        rows += [f"  {name}: {', '.join(places)}" for name, places in doubles.items()]
    pronouns = {place: lines for place, lines in house.pronouns.items() if lines}
    rows.append(f"pronouns as variables: {sum(map(len, pronouns.values()))}")
    rows += [f"  {place}: {len(lines)}" for place, lines in pronouns.items()]
    return "\n".join(rows)


@dataclass(frozen=True, slots=True)
class Size:
    files: int
    lines: int


def addition(place: str, source: Path = SOURCE) -> Size:
    """How large an addition is; nothing where it is not there any more. A definition counts with the empty lines
    before it: two, one inside another."""
    where, _, names = place.partition(":")
    if not names:
        files = [source / where] if where.endswith(".py") else sorted((source / where).rglob("*.py"))
        files = [file for file in files if file.is_file()]
        return Size(len(files), sum(file.read_bytes().count(b"\n") for file in files))
    defined: dict[str, int] = {}
    for node in nodes_of(source / where) if (source / where).is_file() else ():
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                start = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
                defined[node.name] = (node.end_lineno or start) - start + (2 if node.col_offset else 3)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                defined[name] = (node.end_lineno or node.lineno) - node.lineno + 2
    return Size(0, sum(defined.get(name, 0) for name in names.split(",")))


def base_and_additions(house: House) -> str:
    rows, added = ["additions to the base:"], Size(0, 0)
    for subject, places in ADDITIONS.items():
        sizes = [addition(place) for place in places]
        size = Size(sum(part.files for part in sizes), sum(part.lines for part in sizes))
        added = Size(added.files + size.files, added.lines + size.lines)
        rows.append(f"  {size.files:3} files {size.lines:7,} lines  {subject}")
        rows += [f"    not there any more: {place}" for place, part in zip(places, sizes, strict=True) if not part.lines]
    base = Size(len(house.lines) - added.files, sum(house.lines.values()) - added.lines)
    rows.append(f"all additions: {added.files} files, {added.lines:,} lines")
    rows.append(f"the base: {base.files} files, {base.lines:,} lines")
    return "\n".join(rows)


if __name__ == "__main__":
    HOUSE = read_house()
    print(figures(HOUSE), base_and_additions(HOUSE), sep="\n")  # noqa: T201
