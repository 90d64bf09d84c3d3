"""A QR code of a short text (ISO/IEC 18004), drawn as SVG: bytes, error correction M, versions 1 to
10 (up to 213 bytes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from believable.core.errors import InvalidInput

#: Of error correction M, by version from 1: correcting codewords in each block, and blocks.
CORRECTING = (10, 16, 26, 18, 24, 16, 18, 22, 22, 26)
BLOCKS = (1, 1, 1, 2, 2, 4, 4, 4, 5, 5)
#: Centres of the alignment patterns, by version from 1.
CENTRES: tuple[tuple[int, ...], ...] = (
    (),
    (6, 18),
    (6, 22),
    (6, 26),
    (6, 30),
    (6, 34),
    (6, 22, 38),
    (6, 24, 42),
    (6, 26, 46),
    (6, 28, 50),
)
MASKS: tuple[Callable[[int, int], bool], ...] = (
    lambda x, y: (x + y) % 2 == 0,
    lambda x, y: y % 2 == 0,
    lambda x, y: x % 3 == 0,
    lambda x, y: (x + y) % 3 == 0,
    lambda x, y: (x // 3 + y // 2) % 2 == 0,
    lambda x, y: x * y % 2 + x * y % 3 == 0,
    lambda x, y: (x * y % 2 + x * y % 3) % 2 == 0,
    lambda x, y: ((x + y) % 2 + x * y % 3) % 2 == 0,
)
#: Light squares around the code, which readers need.
QUIET = 4

Squares = tuple[tuple[bool, ...], ...]


# ----------------------------------------------------------------------------------------------
# codewords


def _times(a: int, b: int) -> int:
    """In the field of 256 elements with the polynomial 0x11D."""
    product = 0
    for bit in range(7, -1, -1):
        product = (product << 1) ^ ((product >> 7) * 0x11D)
        product ^= ((b >> bit) & 1) * a
    return product


def _divisor(degree: int) -> list[int]:
    result = [0] * (degree - 1) + [1]
    root = 1
    for _ in range(degree):
        result = [
            _times(value, root) ^ (result[place + 1] if place + 1 < degree else 0)
            for place, value in enumerate(result)
        ]
        root = _times(root, 2)
    return result


def _remainder(data: Sequence[int], divisor: Sequence[int]) -> list[int]:
    result = [0] * len(divisor)
    for value in data:
        factor = value ^ result[0]
        result = [*result[1:], 0]
        result = [old ^ _times(part, factor) for old, part in zip(result, divisor, strict=True)]
    return result


def _n_modules(version: int) -> int:
    """Squares that carry codewords."""
    n = (16 * version + 128) * version + 64
    if version >= 2:
        n_centres = version // 7 + 2
        n -= (25 * n_centres - 10) * n_centres - 55
    return n - 36 if version >= 7 else n


def _n_data(version: int) -> int:
    return _n_modules(version) // 8 - CORRECTING[version - 1] * BLOCKS[version - 1]


def _version_for(content: bytes) -> int:
    for version in range(1, len(BLOCKS) + 1):
        if 4 + (8 if version < 10 else 16) + 8 * len(content) <= 8 * _n_data(version):
            return version
    raise InvalidInput(
        f"QR code: expected at most 213 bytes, got {len(content)}. Shorten the text."
    )


def _codewords(content: bytes, version: int) -> list[int]:
    """The content with its length, padded, cut into blocks, each with its correction,
    interleaved.
    """
    n_data = _n_data(version)
    bits = "0100" + format(len(content), "08b" if version < 10 else "016b")
    bits += "".join(format(byte, "08b") for byte in content)
    bits += "0" * min(4, 8 * n_data - len(bits))
    bits += "0" * (-len(bits) % 8)
    data = [int(bits[start : start + 8], 2) for start in range(0, len(bits), 8)]
    data += [(0xEC, 0x11)[place % 2] for place in range(n_data - len(data))]
    n_blocks, divisor = BLOCKS[version - 1], _divisor(CORRECTING[version - 1])
    short = n_data // n_blocks
    n_short = n_blocks - n_data % n_blocks
    blocks, start = [], 0
    for number in range(n_blocks):
        end = start + short + (number >= n_short)
        blocks.append(data[start:end])
        start = end
    corrections = [_remainder(block, divisor) for block in blocks]
    longest = max(map(len, blocks))
    mixed = [block[place] for place in range(longest) for block in blocks if place < len(block)]
    return mixed + [block[place] for place in range(len(divisor)) for block in corrections]


# ----------------------------------------------------------------------------------------------
# squares


@dataclass
class _Drawing:
    """Squares by (x, y); those of patterns are not masked."""

    version: int
    dark: dict[tuple[int, int], bool] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return 17 + 4 * self.version

    def patterns(self) -> None:
        for place in range(self.size):
            self.dark[6, place] = self.dark[place, 6] = place % 2 == 0
        for x, y in ((3, 3), (self.size - 4, 3), (3, self.size - 4)):
            self._finder(x, y)
        centres = CENTRES[self.version - 1]
        corners = {(6, 6), (6, self.size - 7), (self.size - 7, 6)}
        for x, y in ((x, y) for x in centres for y in centres if (x, y) not in corners):
            for dx, dy in ((dx, dy) for dx in range(-2, 3) for dy in range(-2, 3)):
                self.dark[x + dx, y + dy] = max(abs(dx), abs(dy)) != 1
        if self.version >= 7:
            self._version_bits()
        self.format_bits(0)

    def _finder(self, x: int, y: int) -> None:
        for dx, dy in ((dx, dy) for dx in range(-4, 5) for dy in range(-4, 5)):
            if 0 <= x + dx < self.size and 0 <= y + dy < self.size:
                self.dark[x + dx, y + dy] = max(abs(dx), abs(dy)) not in (2, 4)

    def _version_bits(self) -> None:
        rest = self.version
        for _ in range(12):
            rest = (rest << 1) ^ ((rest >> 11) * 0x1F25)
        bits = self.version << 12 | rest
        for place in range(18):
            far, near = self.size - 11 + place % 3, place // 3
            self.dark[far, near] = self.dark[near, far] = bool(bits >> place & 1)

    def format_bits(self, mask: int) -> None:
        rest = mask  # error correction M is 00
        for _ in range(10):
            rest = (rest << 1) ^ ((rest >> 9) * 0x537)
        word = (mask << 10 | rest) ^ 0x5412
        bits = [bool(word >> place & 1) for place in range(15)]
        first = [(8, y) for y in (0, 1, 2, 3, 4, 5, 7, 8)] + [(x, 8) for x in (7, 5, 4, 3, 2, 1, 0)]
        second = [(self.size - 1 - place, 8) for place in range(8)] + [
            (8, self.size - 15 + place) for place in range(8, 15)
        ]
        for places in (first, second):
            for square, bit in zip(places, bits, strict=True):
                self.dark[square] = bit
        self.dark[8, self.size - 8] = True

    def free_squares(self) -> Iterator[tuple[int, int]]:
        """In the order in which codewords fill them: columns of two from the right, up and down in
        turn.
        """
        taken = set(self.dark)
        upward = True
        for right in (*range(self.size - 1, 6, -2), 5, 3, 1):
            for step in range(self.size):
                y = self.size - 1 - step if upward else step
                yield from ((x, y) for x in (right, right - 1) if (x, y) not in taken)
            upward = not upward


def qr_squares(text: str) -> Squares:
    """Rows of squares, dark ones true, with the mask that is easiest to read."""
    content = text.encode()
    drawing = _Drawing(_version_for(content))
    drawing.patterns()
    free = list(drawing.free_squares())
    words = _codewords(content, drawing.version)
    bits = [bool(word >> bit & 1) for word in words for bit in range(7, -1, -1)]
    bits += [False] * (len(free) - len(bits))
    candidates = []
    for number, mask in enumerate(MASKS):
        drawing.format_bits(number)
        masked = drawing.dark | {
            square: bit ^ mask(*square) for square, bit in zip(free, bits, strict=True)
        }
        rows = tuple(tuple(masked[x, y] for x in range(drawing.size)) for y in range(drawing.size))
        candidates.append((_penalty(rows), number, rows))
    return min(candidates)[2]


def _penalty(rows: Squares) -> int:
    """How hard it is to read: long runs, blocks of one colour, what looks like a finder, too much
    of one colour.
    """
    size, total = len(rows), 0
    for line in (*rows, *zip(*rows, strict=True)):
        text = "".join("1" if dark else "0" for dark in line)
        run = 1
        for place in range(1, size + 1):
            if place < size and line[place] == line[place - 1]:
                run += 1
                continue
            total += run - 2 if run >= 5 else 0
            run = 1
        for place in range(size - 10):
            total += 40 * (text[place : place + 11] in ("10111010000", "00001011101"))
    for y in range(size - 1):
        for x in range(size - 1):
            total += 3 * (rows[y][x] == rows[y][x + 1] == rows[y + 1][x] == rows[y + 1][x + 1])
    n_dark = sum(map(sum, rows))
    return total + 10 * (abs(20 * n_dark - 10 * size * size) // (size * size))


def qr_svg(text: str) -> str:
    """A picture that needs no script and no style: dark on light, with its quiet margin."""
    rows = qr_squares(text)
    side = len(rows) + 2 * QUIET
    path = "".join(
        f"M{x + QUIET},{y + QUIET}h1v1h-1z"
        for y, row in enumerate(rows)
        for x, dark in enumerate(row)
        if dark
    )
    return (
        f'<svg class="qr" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}"'
        f' width="{4 * side}" height="{4 * side}" shape-rendering="crispEdges" role="img"'
        f' aria-label="QR code"><rect width="{side}" height="{side}" fill="#fff"/><path d="{path}"'
        ' fill="#000"/></svg>'
    )
