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
            FlowStep(title="Sessions started", before=72, after=72, reason=""),
            FlowStep(title="Finished", before=72, after=66, reason="not finished: 6"),
            FlowStep(
                title="Comprehension passed",
                before=66,
                after=63,
                reason="failed a comprehension check: 3",
            ),
            FlowStep(
                title="Reasons usable",
                before=63,
                after=60,
                reason="low-quality text, reviewed blind: 3",
            ),
        ),
        drops=(
            *(
                Drop(
                    session=f"s{n:02d}",
                    level="session",
                    reason="not finished",
                    detail="left at trial 4",
                )
                for n in range(6)
            ),
            *(
                Drop(
                    session=f"s{n:02d}",
                    level="session",
                    reason="failed a check",
                    detail="comprehension: time limit",
                )
                for n in range(6, 9)
            ),
            *(
                Drop(
                    session=f"s{n:02d}",
                    level="session",
                    reason="low-quality text",
                    detail="copied <b>text</b>",
                )
                for n in range(9, 12)
            ),
            Drop(
                session="s20",
                level="answer",
                reason="unanswered",
                detail="",
                trial_key="pairs.3",
                question="certainty",
            ),
        ),
        sections=sections,
        hypotheses=tuple(
            JudgedHypothesis(
                id=str(finding.hypothesis),
                text=f"{finding.title}.",
                title=finding.title,
                unit="share of pairs",
                rank="primary",
                status="confirmatory",
                criterion=criteria[str(finding.hypothesis)],
                findings=(finding,),
                supported=finding.supported,
                verdict=f"{'met' if finding.supported else 'not met'}: {criteria[str(finding.hypothesis)]}",
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
        name="accuracy",
        title="Accuracy by pairing",
        columns=(
            Column(name="pairing", title="Pairing"),
            Column(name="n", title="n", form="integer"),
            Column(name="median", title="Median", form="number", digits=2),
            Column(name="ci_low", title="Low", form="number", digits=2),
            Column(name="ci_high", title="High", form="number", digits=2),
            Column(name="iqr", title="IQR"),
            Column(name="p_value", title="p", form="p"),
            Column(name="passes", title="Interval contains .5", form="flag"),
        ),
        rows=(
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
        name="accuracy_counts",
        title="Judges by accuracy",
        columns=(
            Column(name="from", title="From", form="number", digits=2),
            Column(name="to", title="To", form="number", digits=2),
            Column(name="judges", title="Judges", form="integer"),
        ),
        rows=tuple(
            ((k - 0.5) / 6, (k + 0.5) / 6, int(c)) for k, c in zip(levels, counts, strict=True)
        ),
        data_only=True,
    )
    estimate = Estimate(
        value=0.667,
        low=0.5,
        high=0.667,
        level=0.95,
        n=60,
        method="median, percentile bootstrap over judges",
    )
    test = TestResult(
        statistic=1.12,
        p_value=0.134,
        n=60,
        method="TOST around 0.5, margin 0.10",
        df=(59,),
        symbol="t",
    )
    return Section(
        name="accuracy",
        title="Accuracy",
        paragraphs=(
            "Each judge saw six pairs. The order of pairs and the sides were random for each judge.",
        ),
        findings=(
            Finding(
                outcome="accuracy",
                title="Judges chose the human clip in two of three pairs",
                sentence="The median accuracy of 60 judges was 0.67, 95 % CI [0.50, 0.67] (percentile"
                " bootstrap over judges).",
                estimate=estimate,
                status="confirmatory",
                hypothesis="H1",
                supported=True,
            ),
            Finding(
                outcome="equivalence",
                title="Equivalence with chance was not shown",
                sentence="Two one-sided tests with a margin of 0.10 around 0.5 did not show equivalence,"
                " t(59) = 1.12, p = .134.",
                status="confirmatory",
                test=test,
                p_adjusted=0.268,
                hypothesis="H2",
                supported=False,
            ),
            Finding(
                outcome="familiarity",
                title="Familiarity with the game",
                sentence="The regression is undefined: all judges gave the same answer.",
                estimate=undefined("all judges gave the same answer", method="OLS", n=60),
            ),
        ),
        tables=(table, histogram),
        charts=(
            Chart(
                name="accuracy_points",
                title="Accuracy by pairing",
                kind="points",
                table="accuracy",
                use={"category": "pairing", "value": "median", "low": "ci_low", "high": "ci_high"},
                x_title="Share of pairs in which the human clip was chosen",
                rules=(("y", 0.5, "chance"),),
                x_range=(0, 1),
                caption="Points are medians over judges, lines 95 % intervals.",
            ),
            Chart(
                name="accuracy_histogram",
                title="Judges by accuracy",
                kind="histogram",
                table="accuracy_counts",
                use={"from": "from", "to": "to", "count": "judges"},
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
        Column(name="scenario", title="Scenario"),
        Column(name="condition", title="Condition"),
        Column(name="second", title="Time (s)", form="number", digits=0),
        Column(name="mean", title="Mean", form="number", digits=3),
        Column(name="ci_low", title="Low", form="number", digits=3),
        Column(name="ci_high", title="High", form="number", digits=3),
    )
    use = {"x": "second", "y": "mean", "low": "ci_low", "high": "ci_high", "colour": "condition"}
    return Section(
        name="traces",
        title="Traces",
        tables=(
            Table(
                name="mean_traces",
                title="Mean traces",
                columns=columns,
                rows=tuple(rows),
                data_only=True,
            ),
        ),
        charts=(
            Chart(
                name="mean_traces",
                title="Mean trace by condition",
                kind="lines",
                table="mean_traces",
                use=use | {"facet": "scenario"},
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
        name="ratings",
        title="Ratings by type of clip",
        columns=(
            Column(name="type", title="Type"),
            Column(name="answer", title="Answer"),
            Column(name="share", title="Share", form="share", digits=1),
        ),
        rows=tuple(
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
        name="correlations",
        title="Correlation with the final preference",
        columns=(
            Column(name="measure", title="Measure"),
            Column(name="epsilon", title="ε"),
            Column(name="r", title="r", form="number", digits=3),
        ),
        rows=cells,
    )
    return Section(
        name="ratings",
        title="Ratings and correlations",
        tables=(stacked, heat),
        charts=(
            Chart(
                name="ratings",
                title="Ratings",
                kind="stacked",
                table="ratings",
                use={"category": "type", "value": "share", "colour": "answer"},
                x_title="Share of ratings",
            ),
            Chart(
                name="correlations",
                title="Correlation with the final preference",
                kind="heat",
                table="correlations",
                use={"x": "epsilon", "y": "measure", "value": "r"},
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
        name="moments",
        title="Moments",
        columns=(
            Column(name="lane", title="Lane"),
            Column(name="start_s", title="From (s)", form="number", digits=1),
            Column(name="end_s", title="To (s)", form="number", digits=1),
            Column(name="note", title="Note"),
            Column(name="text", title="What"),
            Column(name="link", title="Link"),
        ),
        rows=tuple(rows),
        data_only=True,
    )
    ranked = Table(
        name="ranked",
        title="Actions that broke belief most often",
        columns=(
            Column(name="rank", title="Rank", form="integer"),
            Column(name="action", title="Action"),
            Column(name="condition", title="Condition"),
            Column(name="flags", title="Flags", form="integer"),
            Column(name="rate", title="Flagged by", form="share", digits=1),
            Column(name="link", title="Link"),
        ),
        rows=(
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
        name="moments",
        title="Where the moment is",
        paragraphs=(
            "Which actions broke belief, ranked by the share of viewers who flagged them.",
        ),
        tables=(ranked, table),
        charts=(
            Chart(
                name="moments",
                title="Time line of day A",
                kind="spans",
                table="moments",
                use=use,
                x_title="Time (s)",
            ),
        ),
        status="exploratory",
    )


def kinds(rng: np.random.Generator) -> Section:
    bars = Table(
        name="index",
        title="Believability index",
        columns=(
            Column(name="type", title="Type"),
            Column(name="level", title="Experience"),
            Column(name="b", title="b", form="number", digits=2),
            Column(name="low", title="Low", form="number", digits=2),
            Column(name="high", title="High", form="number", digits=2),
        ),
        rows=tuple(
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
        name="visual_auditory",
        title="Visual against auditory test",
        columns=(
            Column(name="annotator", title="Annotator"),
            Column(name="visual", title="Visual SDA", form="number", digits=2),
            Column(name="auditory", title="Auditory SDA", form="number", digits=2),
            Column(name="group", title="Group"),
        ),
        rows=people,
        data_only=True,
    )
    curve = Table(
        name="power",
        title="Cumulative",
        columns=(
            Column(name="n", title="Participants", form="integer"),
            Column(name="share", title="Share", form="share", digits=0),
        ),
        rows=tuple((n, 1 - math.exp(-n / 20)) for n in range(0, 60, 6)),
        data_only=True,
    )
    return Section(
        name="kinds",
        title="Other figures",
        tables=(bars, scatter, curve),
        charts=(
            Chart(
                name="index",
                title="Believability index",
                kind="bars",
                table="index",
                use={
                    "category": "level",
                    "value": "b",
                    "low": "low",
                    "high": "high",
                    "colour": "type",
                },
                x_title="b",
            ),
            Chart(
                name="visual_auditory",
                title="Visual against auditory test",
                kind="scatter",
                table="visual_auditory",
                use={"x": "visual", "y": "auditory", "colour": "group", "label": "annotator"},
                rules=(("x", 0, "gate"), ("y", 0, "")),
            ),
            Chart(
                name="steps",
                title="Cumulative share",
                kind="steps",
                table="power",
                use={"x": "n", "y": "share"},
                y_range=(0, 1),
            ),
        ),
    )
