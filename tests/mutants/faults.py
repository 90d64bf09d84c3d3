"""Small faults for one module: each changes one expression or statement, as a slip of the author could.

Neither mutmut nor cosmic-ray is used. mutmut replaces functions by trampolines, so it leaves out
constants of a module (margins, limits) and decorated functions (properties, cached ones), which is
where claims are made. cosmic-ray changes the checkout in place and runs one test command for every
module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.Pow: "*",
    ast.FloorDiv: "/",
    ast.Mod: "//",
    ast.BitOr: "&",
    ast.BitAnd: "|",
    ast.MatMult: "*",
}


@dataclass(frozen=True)
class Fault:
    """Text from `start` to `end` of a file becomes `text`."""

    path: Path
    line: int
    start: int
    end: int
    text: str
    kind: str

    def plant(self, source: str) -> str:
        data = source.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()

    def describe(self, source: str) -> str:
        data = source.encode()
        old = " ".join(data[self.start : self.end].decode().split())
        new = " ".join(self.text.split())
        return f"{self.kind}: `{old[:70]}` → `{new[:70]}`"


class _Finder:
    def __init__(self, path: Path, source: str) -> None:
        self.path, self.data = path, source.encode()
        starts = [0]
        for line in source.encode().splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self.starts = starts

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.data[start:end].decode()

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def fault(self, node: ast.expr | ast.stmt, text: str, kind: str) -> Fault:
        return Fault(self.path, node.lineno, *self.span(node), text, kind)

    def of(self, node: ast.AST) -> Iterator[Fault]:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                text = f"({self.text(left)}) {COMPARISONS[type(op)]} ({self.text(right)})"
                yield self.fault(node, f"({text})", "comparison")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                a, b = self.text(left), self.text(right)
                yield self.fault(node, f"(({a}) {OPERATORS[type(op)]} ({b}))", "operator")
                if isinstance(op, ast.Add | ast.Sub | ast.BitAnd | ast.BitOr):
                    yield self.fault(node, f"({a})", "dropped term")
            case ast.BoolOp(op=op, values=[first, *rest]):
                word = " or " if isinstance(op, ast.And) else " and "
                texts = [f"({self.text(value)})" for value in (first, *rest)]
                yield self.fault(node, f"({word.join(texts)})", "and/or")
                kept = " and ".join(texts[:-1]) if word == " or " else " or ".join(texts[:-1])
                yield self.fault(node, f"({kept})", "dropped condition")
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                yield self.fault(node, f"({self.text(operand)})", "dropped sign")
            case ast.IfExp(test=test, body=body, orelse=orelse):
                swapped = f"({self.text(orelse)} if {self.text(test)} else {self.text(body)})"
                yield self.fault(node, swapped, "swapped branches")
            case ast.Constant(value=bool(value)):
                yield self.fault(node, str(not value), "constant")
            case ast.Constant(value=int() | float() as value):
                other = value + 1 if isinstance(value, int) else (value * 1.1 or 0.1)
                yield self.fault(node, repr(other), "constant")
            case ast.Call(func=func, args=[ast.Name() as first, ast.Name() as second, *_]):
                text = self.text(node)
                start = self.span(node)[0]
                (a0, a1), (b0, b1) = self.span(first), self.span(second)
                data = self.data
                swapped = (
                    data[start:a0]
                    + data[b0:b1]
                    + data[a1:b0]
                    + data[a0:a1]
                    + data[b1 : self.span(node)[1]]
                ).decode()
                if swapped != text and self.text(func) not in ("isinstance", "zip"):
                    yield self.fault(node, swapped, "swapped arguments")
            case ast.AugAssign(target=target, value=value):
                yield self.fault(node, f"{self.text(target)} = {self.text(value)}", "assignment")
            case ast.Expr(value=ast.Call(func=func)) if not self.text(func).startswith("log."):
                yield self.fault(node, "pass", "dropped statement")
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
                yield self.fault(node, "pass", "dropped statement")


#: Parts of the source in which a fault is no fault: types, messages, names.
_SKIPPED = (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Assert)


def _visited(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.keyword) and child.arg == "strict":  # of zip: a safeguard
                continue
            if isinstance(child, ast.AST) and not isinstance(child, _SKIPPED):
                yield from _visited(child)


def faults_of(path: Path) -> list[Fault]:
    """Every fault that can be planted in a module, in the order of its lines."""
    source = path.read_text("utf-8")
    finder = _Finder(path, source)
    found = []
    for node in _visited(ast.parse(source)):
        for fault in finder.of(node):
            try:
                ast.parse(fault.plant(source))
            except SyntaxError:
                continue
            found.append(fault)
    return sorted(found, key=lambda fault: (fault.start, fault.end))
