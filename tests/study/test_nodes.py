# ruff: noqa: E501  messages are compared in full, one case per line
"""YAML 1.2 with lines: what words mean, and files that should not be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.nodes import MAX_BYTES, MAX_NODES, from_plain, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


def plain(text: str) -> object:
    tree, problems = parse(text.encode(), "study.yaml")
    assert tree is not None
    assert problems == []
    return tree.plain()


def only_problem(raw: bytes) -> str:
    (problem,) = parse(raw, "study.yaml")[1]
    return str(problem)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("null", None),
        ("7", 7),
        ("-7", -7),
        ("0o17", 15),
        ("0x1F", 31),
        ("012", 12),
        ("1_000", "1_000"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("12:30", "12:30"),
        ("2027-01-31", "2027-01-31"),
        ("'7'", "7"),
        ('"a\\tb"', "a\tb"),
        ("!!str 7", "7"),
        ("=", "="),
    ],
)
def test_words_mean_what_yaml_1_2_says(written, value):
    result = plain(f"key: {written}\n")
    assert result == {"key": value}
    assert type(result["key"]) is type(value)  # type: ignore[index]


def test_every_node_knows_line_and_path():
    tree, _ = parse(b"a: 1\nb:\n  - x\n  - {c: 2,\n     d: 3}\n", "study.yaml")
    assert tree is not None
    assert (tree.value["b"].line, tree.value["b"].path) == (2, "b")
    item = tree.value["b"].value[1]
    assert (item.line, item.path) == (4, "b[1]")
    assert (item.value["d"].line, item.value["d"].path) == (5, "b[1].d")


def test_aliases_are_unfolded_with_paths_of_their_own():
    tree, _ = parse(b"a: &words {en: Hi}\nb: *words\n", "study.yaml")
    assert tree is not None
    assert tree.value["b"].value["en"].path == "b.en"


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (
            b"a: 1\nb: 2\na: 3\n",
            "study.yaml:3 a: the key 'a' was given in line 1 already. Remove one of them.",
        ),
        (b"a:\n\tb: 1\n", "study.yaml:2: a tab is used for indentation. Indent with spaces."),
        (b"a: 1\nb: \xff\n", "study.yaml:2: byte 0xff is not UTF-8. Save the file as UTF-8."),
        ("a: 1".encode("utf-16"), "study.yaml:1: the file is UTF-16. Save it as UTF-8."),
        (b"", "study.yaml:1: the file is empty. Start with `believable: 1`."),
        (b"# only a comment\n", "study.yaml:1: the file is empty. Start with `believable: 1`."),
        (b"a: .nan\n", "study.yaml:1 a: .nan is not a finite number. Write a number."),
        (b"a: 1e999\n", "study.yaml:1 a: 1e999 is not a finite number. Write a number."),
        (
            b"a: !!python/object:os.system x\n",
            "study.yaml:1 a: the tag tag:yaml.org,2002:python/object:os.system means nothing here. Remove it.",
        ),
        (b"? [a, b]\n: 1\n", "study.yaml:1: a key is a list or a mapping. Keys are single words."),
        (
            b"a: &x {b: 1}\nc:\n  <<: *x\n",
            "study.yaml:3 c.<<: merge keys are not part of YAML 1.2. Write the keys out.",
        ),
        (
            b"title: Who: me\n",
            "study.yaml:1: not YAML: mapping values are not allowed here. Put a text that contains `: ` in quotes, or check the indentation.",
        ),
        (
            b"a: *nobody\n",
            "study.yaml:1: found undefined alias 'nobody'. Define it first with `&name`, or write the value out.",
        ),
        (
            b"a: 1\n---\nb: 2\n",
            "study.yaml:2: a second document starts here. A study is one document: remove the `---`.",
        ),
        (
            b"a: 'open\n",
            "study.yaml:2: not YAML: found unexpected end of stream. Close the quotes.",
        ),
    ],
)
def test_files_that_cannot_be_read_say_why(raw, problem):
    assert only_problem(raw) == problem


def test_a_byte_order_mark_is_forgiven():
    tree, problems = parse(b"\xef\xbb\xbfa: 1\n", "study.yaml")
    assert tree is not None
    assert (tree.plain(), problems) == ({"a": 1}, [])


def test_an_alias_bomb_is_stopped():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    assert f"aliases unfold to more than {MAX_NODES:,} values" in only_problem(
        "\n".join(lines).encode()
    )


def test_an_alias_that_contains_itself_is_stopped():
    assert "an alias contains itself" in only_problem(b"a: &a [*a]\n")


def test_deep_nesting_is_stopped():
    assert "nested too deeply" in only_problem(b"a: " + b"[" * 100 + b"]" * 100)
    assert "nested too deeply" in only_problem(b"a: " + b"[" * 20_000)


def test_a_huge_file_is_refused():
    assert "the limit is 5,000,000" in only_problem(b"a" * (MAX_BYTES + 1))


@given(JSON)
def test_plain_data_comes_back(data):
    assert from_plain(data).plain() == data


@given(st.binary(max_size=200))
def test_any_bytes_give_a_tree_or_a_problem(raw):
    tree, problems = parse(raw, "study.yaml")
    assert tree is not None or problems
