"""A made-up analysis that uses every kind of record, for tests that look at reports."""

from __future__ import annotations

import math

import numpy as np

from believable.analysis.findings import (
    Analysis,
    Cell,
    Chart,
    Column,
    Drop,
    Finding,
    FlowStep,
    JudgedHypothesis,
    Section,
    Source,
    Table,
)
from believable.stats.estimate import Estimate, undefined
from believable.stats.result import TestResult

CONDITIONS = ("standin_human", "standin_agent")


def sample_analysis(*, simulated: bool = True) -> Analysis:
    rng = np.random.default_rng(7)
    sections = (accuracy(rng), traces(rng), ratings(rng), moments(rng), kinds(rng))
    criteria = {"H1": "p below alpha", "H2": "interval contains 0.5"}
    return Analysis(
        title="Which of the two walks like a human?",
        source=Source(
            study="which-walks",
            protocol="hntt",
            definition="4f1c" * 16,
            data="9be0" * 16,
            plan="77aa" * 16,
            seeds={"study": 7, "analysis": 1},
            versions={
                "believable": "0.1.0",
                "python": "3.11.7",
                "numpy": "2.4.6",
                "scipy": "1.17.1",
            },
            simulated=simulated,
            demonstration=simulated,
            registered="77aa" * 16,
        ),
        funnel=(
            FlowStep("Sessions started", 72, 72, ""),
            FlowStep("Finished", 72, 66, "not finished: 6"),
            FlowStep("Comprehension passed", 66, 63, "failed a comprehension check: 3"),
            FlowStep("Reasons usable", 63, 60, "low-quality text, reviewed blind: 3"),
        ),
        drops=(
            *(Drop(f"s{n:02d}", "session", "not finished", "left at trial 4") for n in range(6)),
            *(
                Drop(f"s{n:02d}", "session", "failed a check", "comprehension: time limit")
                for n in range(6, 9)
            ),
            *(
                Drop(f"s{n:02d}", "session", "low-quality text", "copied <b>text</b>")
                for n in range(9, 12)
            ),
            Drop("s20", "answer", "unanswered", "", "pairs.3", "certainty"),
        ),
        sections=sections,
        hypotheses=tuple(
            JudgedHypothesis(
                str(finding.hypothesis),
                f"{finding.title}.",
                finding.title,
                "share of pairs",
                "primary",
                "confirmatory",
                criteria[str(finding.hypothesis)],
                (finding,),
                finding.supported,
                f"{'met' if finding.supported else 'not met'}: {criteria[str(finding.hypothesis)]}",
            )
            for finding in sections[0].findings
            if finding.hypothesis
        ),
        deviations=("tests.accuracy.margin: registered 0.1, analysed with 0.15.",),
        methods=(
            "Sixty judges saw six pairs of clips and chose, in each, the clip that walks more like"
            " a human would. Accuracy is a judge's share of pairs in which the human clip was"
            " chosen. Intervals are percentile bootstraps of the median over judges (10,000"
            " resamples)."
        ),
        results=(
            "Median accuracy was 0.67, 95 % CI [0.50, 0.67]. "
            "Equivalence with chance within ± 0.10 was not shown, t(59) = 1.12, p = .134. "
            "Not telling them apart in this sample is not evidence that they are the same."
        ),
        warnings=("Every page has the same composition: people could answer by elimination.",),
    )


def accuracy(rng: np.random.Generator) -> Section:
    levels = [0, 1, 2, 3, 4, 5, 6]
    counts = rng.multinomial(60, [0.02, 0.06, 0.15, 0.27, 0.25, 0.17, 0.08])
    table = Table(
        "accuracy",
        "Accuracy by pairing",
        (
            Column("pairing", "Pairing"),
            Column("n", "n", "integer"),
            Column("median", "Median", "number", 2),
            Column("ci_low", "Low", "number", 2),
            Column("ci_high", "High", "number", 2),
            Column("iqr", "IQR"),
            Column("p_value", "p", "p"),
            Column("passes", "Interval contains .5", "flag"),
        ),
        (
            ("standin_human – standin_agent", 60, 0.667, 0.5, 0.667, "0.50–0.83", 0.0004, True),
            ("standin_human – shaped", 58, 0.5, 0.41, 0.61, "0.33–0.67", 0.412, True),
            ("standin_human – scripted", 3, None, None, None, "0.83–1.00", None, None),
        ),
        note="Median over judges; percentile bootstrap, 10,000 resamples.",
        status="confirmatory",
        undefined={
            (2, "median"): "fewer than 5 judges",
            (2, "ci_low"): "fewer than 5 judges",
            (2, "ci_high"): "fewer than 5 judges",
            (2, "p_value"): "fewer than 5 judges",
            (2, "passes"): "no interval, so the criterion is undefined",
        },
        marked=frozenset({(0, "p_value")}),
    )
    histogram = Table(
        "accuracy_counts",
        "Judges by accuracy",
        (
            Column("from", "From", "number", 2),
            Column("to", "To", "number", 2),
            Column("judges", "Judges", "integer"),
        ),
        tuple(((k - 0.5) / 6, (k + 0.5) / 6, int(c)) for k, c in zip(levels, counts, strict=True)),
        data_only=True,
    )
    estimate = Estimate(0.667, 0.5, 0.667, 0.95, 60, "median, percentile bootstrap over judges")
    test = TestResult(1.12, 0.134, 60, "TOST around 0.5, margin 0.10", df=(59,), symbol="t")
    return Section(
        "accuracy",
        "Accuracy",
        ("Each judge saw six pairs. The order of pairs and the sides were random for each judge.",),
        (
            Finding(
                "accuracy",
                "Judges chose the human clip in two of three pairs",
                "The median accuracy of 60 judges was 0.67, 95 % CI [0.50, 0.67] (percentile"
                " bootstrap over judges).",
                estimate,
                status="confirmatory",
                hypothesis="H1",
                supported=True,
            ),
            Finding(
                "equivalence",
                "Equivalence with chance was not shown",
                "Two one-sided tests with a margin of 0.10 around 0.5 did not show equivalence,"
                " t(59) = 1.12, p = .134.",
                status="confirmatory",
                test=test,
                p_adjusted=0.268,
                hypothesis="H2",
                supported=False,
            ),
            Finding(
                "familiarity",
                "Familiarity with the game",
                "The regression is undefined: all judges gave the same answer.",
                undefined("all judges gave the same answer", method="OLS", n=60),
            ),
        ),
        (table, histogram),
        (
            Chart(
                "accuracy_points",
                "Accuracy by pairing",
                "points",
                "accuracy",
                {"category": "pairing", "value": "median", "low": "ci_low", "high": "ci_high"},
                x_title="Share of pairs in which the human clip was chosen",
                rules=(("y", 0.5, "chance"),),
                x_range=(0, 1),
                caption="Points are medians over judges, lines 95 % intervals.",
            ),
            Chart(
                "accuracy_histogram",
                "Judges by accuracy",
                "histogram",
                "accuracy_counts",
                {"from": "from", "to": "to", "count": "judges"},
                x_title="Accuracy",
                y_title="Judges",
                rules=(("x", 0.5, "chance"),),
            ),
        ),
        status="confirmatory",
    )


def traces(rng: np.random.Generator) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for scenario in ("corridor", "yard"):
        for condition, height in zip(CONDITIONS, (0.6, 0.45), strict=True):
            for second in range(0, 61):
                mean = (
                    height
                    + 0.15 * math.sin(second / 7 + (scenario == "yard"))
                    + rng.normal(0, 0.01)
                )
                rows.append((scenario, condition, float(second), mean, mean - 0.07, mean + 0.07))
    columns = (
        Column("scenario", "Scenario"),
        Column("condition", "Condition"),
        Column("second", "Time (s)", "number", 0),
        Column("mean", "Mean", "number", 3),
        Column("ci_low", "Low", "number", 3),
        Column("ci_high", "High", "number", 3),
    )
    use = {"x": "second", "y": "mean", "low": "ci_low", "high": "ci_high", "colour": "condition"}
    return Section(
        "traces",
        "Traces",
        tables=(Table("mean_traces", "Mean traces", columns, tuple(rows), data_only=True),),
        charts=(
            Chart(
                "mean_traces",
                "Mean trace by condition",
                "lines",
                "mean_traces",
                use | {"facet": "scenario"},
                x_title="Time (s)",
                y_title="Believability",
                caption="Bands are 95 % t intervals over annotators.",
                y_range=(0, 1),
                rules=(("y", 0.5, "neutral"),),
            ),
        ),
        status="exploratory",
    )


def ratings(rng: np.random.Generator) -> Section:
    answers = ("human", "probably human", "don't know", "probably artificial", "artificial")
    shares = {
        "standin_human": (0.3, 0.3, 0.12, 0.18, 0.1),
        "standin_agent": (0.12, 0.2, 0.14, 0.3, 0.24),
    }
    stacked = Table(
        "ratings",
        "Ratings by type of clip",
        (Column("type", "Type"), Column("answer", "Answer"), Column("share", "Share", "share", 1)),
        tuple(
            (kind, answer, value)
            for kind, row in shares.items()
            for answer, value in zip(answers, row, strict=True)
        ),
    )
    epsilons = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25)
    cells = tuple(
        (measure, f"{epsilon:.2f}", float(np.clip(rng.normal(0.2, 0.4), -0.9, 0.9)))
        for measure in ("H", "L", "D", "μ")
        for epsilon in epsilons
    )
    heat = Table(
        "correlations",
        "Correlation with the final preference",
        (Column("measure", "Measure"), Column("epsilon", "ε"), Column("r", "r", "number", 3)),
        cells,
    )
    return Section(
        "ratings",
        "Ratings and correlations",
        tables=(stacked, heat),
        charts=(
            Chart(
                "ratings",
                "Ratings",
                "stacked",
                "ratings",
                {"category": "type", "value": "share", "colour": "answer"},
                x_title="Share of ratings",
            ),
            Chart(
                "correlations",
                "Correlation with the final preference",
                "heat",
                "correlations",
                {"x": "epsilon", "y": "measure", "value": "r"},
                x_title="ε",
            ),
        ),
    )


def moments(rng: np.random.Generator) -> Section:
    lanes = ("plan", "actions", "flags")
    rows: list[tuple[Cell, ...]] = [
        ("plan", 0.0, 30.0, "", "go to the café", None),
        ("plan", 30.0, 60.0, "", "meet Ana", None),
    ]
    for start in range(0, 60, 6):
        rows.append(
            (
                "actions",
                float(start),
                start + 5.5,
                "",
                f"action {start // 6}",
                f"stimulus:day_a@{start * 1000}",
            )
        )
    for _ in range(14):
        at = float(rng.uniform(2, 58))
        rows.append((lanes[2], at, at, "", "flag", f"stimulus:day_a@{int(at * 1000)}"))
    table = Table(
        "moments",
        "Moments",
        (
            Column("lane", "Lane"),
            Column("start_s", "From (s)", "number", 1),
            Column("end_s", "To (s)", "number", 1),
            Column("note", "Note"),
            Column("text", "What"),
            Column("link", "Link"),
        ),
        tuple(rows),
        data_only=True,
    )
    ranked = Table(
        "ranked",
        "Actions that broke belief most often",
        (
            Column("rank", "Rank", "integer"),
            Column("action", "Action"),
            Column("condition", "Condition"),
            Column("flags", "Flags", "integer"),
            Column("rate", "Flagged by", "share", 1),
            Column("link", "Link"),
        ),
        (
            (1, "sleeps in the café", "standin_agent", 31, 0.517, "stimulus:day_a@12000"),
            (2, "walks through the wall", "standin_agent", 22, 0.367, "stimulus:day_a@30000"),
            (3, "says good night at noon", "standin_human", 4, 0.067, "stimulus:day_b@44000"),
        ),
    )
    use = {
        "lane": "lane",
        "from": "start_s",
        "to": "end_s",
        "colour": "lane",
        "label": "text",
        "link": "link",
    }
    return Section(
        "moments",
        "Where the moment is",
        ("Which actions broke belief, ranked by the share of viewers who flagged them.",),
        tables=(ranked, table),
        charts=(
            Chart("moments", "Time line of day A", "spans", "moments", use, x_title="Time (s)"),
        ),
        status="exploratory",
    )


def kinds(rng: np.random.Generator) -> Section:
    bars = Table(
        "index",
        "Believability index",
        (
            Column("type", "Type"),
            Column("level", "Experience"),
            Column("b", "b", "number", 2),
            Column("low", "Low", "number", 2),
            Column("high", "High", "number", 2),
        ),
        tuple(
            (kind, level, b, b - 0.08, b + 0.08)
            for kind, base in zip(CONDITIONS, (0.69, 0.45), strict=True)
            for level, b in zip(("novice", "expert"), (base, base - 0.1), strict=True)
        ),
    )
    people = tuple(
        (f"p{n}", float(x), float(0.6 * x + rng.normal(0, 0.3)), ("experts", "crowd")[n % 2])
        for n, x in enumerate(rng.normal(0, 0.5, 40))
    )
    scatter = Table(
        "visual_auditory",
        "Visual against auditory test",
        (
            Column("annotator", "Annotator"),
            Column("visual", "Visual SDA", "number", 2),
            Column("auditory", "Auditory SDA", "number", 2),
            Column("group", "Group"),
        ),
        people,
        data_only=True,
    )
    curve = Table(
        "power",
        "Cumulative",
        (Column("n", "Participants", "integer"), Column("share", "Share", "share", 0)),
        tuple((n, 1 - math.exp(-n / 20)) for n in range(0, 60, 6)),
        data_only=True,
    )
    return Section(
        "kinds",
        "Other figures",
        tables=(bars, scatter, curve),
        charts=(
            Chart(
                "index",
                "Believability index",
                "bars",
                "index",
                {"category": "level", "value": "b", "low": "low", "high": "high", "colour": "type"},
                x_title="b",
            ),
            Chart(
                "visual_auditory",
                "Visual against auditory test",
                "scatter",
                "visual_auditory",
                {"x": "visual", "y": "auditory", "colour": "group", "label": "annotator"},
                rules=(("x", 0, "gate"), ("y", 0, "")),
            ),
            Chart(
                "steps",
                "Cumulative share",
                "steps",
                "power",
                {"x": "n", "y": "share"},
                y_range=(0, 1),
            ),
        ),
    )
