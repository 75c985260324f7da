"""Decoding of blocks, their fields and their texts."""

from __future__ import annotations

import math
import struct
from typing import Iterator, Optional, Sequence, Tuple, Union

BLOCK = struct.Struct("<HHI")

Vector = Tuple[float, float, float]
Quaternion = Tuple[float, float, float, float]


class ProtocolError(Exception):
    """The received bytes are not a valid message."""


class Fields:
    """Reads the fields of a block after its head in order; numbers that are not finite are unknown. An element has only
    its validity bits as a head."""

    def __init__(self, data: bytes, form: str, *, is_element: bool = False) -> None:
        layout = struct.Struct(("<I" if is_element else "<4xI") + form)
        self._values: Iterator[Union[int, float]] = iter(layout.unpack_from(data.ljust(layout.size, b"\0")))
        self.valid = self.integer()

    def integer(self) -> int:
        return int(next(self._values))

    def _known(self, bit: int, count: int) -> Optional[Tuple[float, ...]]:
        values = tuple(float(next(self._values)) for _ in range(count))
        return values if self.valid >> bit & 1 and all(map(math.isfinite, values)) else None

    def number(self, bit: int) -> Optional[float]:
        values = self._known(bit, 1)
        return values[0] if values else None

    def pair(self, bit: int) -> Optional[Tuple[float, float]]:
        values = self._known(bit, 2)
        return (values[0], values[1]) if values else None

    def always(self) -> float:
        value = float(next(self._values))
        return value if math.isfinite(value) else 0.0

    def vector(self, bit: int) -> Optional[Vector]:
        values = self._known(bit, 3)
        return (values[0], values[1], values[2]) if values else None

    def always_vector(self) -> Vector:
        return (self.always(), self.always(), self.always())

    def quaternion(self, bit: int) -> Optional[Quaternion]:
        values = self._known(bit, 4)
        return (values[0], values[1], values[2], values[3]) if values else None


class Block:
    """Reads the fields of a block by their offsets.

    A shorter block of an older daemon is padded with zeros. Numbers that are not finite are unknown.
    """

    def __init__(self, data: bytes, size: int) -> None:
        self._data = data.ljust(size, b"\0")
        self._valid = int.from_bytes(self._data[4:8], "little")

    def _has(self, bit: int) -> bool:
        return bool(self._valid >> bit & 1)

    def _numbers(self, place: int, count: int) -> Optional[Tuple[float, ...]]:
        values: Tuple[float, ...] = struct.unpack_from(f"<{count}d", self._data, place)
        return values if all(map(math.isfinite, values)) else None

    def count(self, place: int, size: int) -> int:
        return int.from_bytes(self._data[place : place + size], "little")

    def known_count(self, place: int, size: int, bit: int) -> Optional[int]:
        return self.count(place, size) if self._has(bit) else None

    def flag(self, place: int, size: int, mask: int) -> bool:
        return bool(self.count(place, size) & mask)

    def name(self, place: int, names: Sequence[str], otherwise: str) -> str:
        return name_of(names, self._data[place], otherwise)

    def number(self, place: int, bit: int) -> Optional[float]:
        values = self._numbers(place, 1) if self._has(bit) else None
        return values[0] if values else None

    def always(self, place: int) -> float:
        values = self._numbers(place, 1)
        return values[0] if values else 0.0

    def vector(self, place: int, bit: int) -> Optional[Vector]:
        values = self._numbers(place, 3) if self._has(bit) else None
        return (values[0], values[1], values[2]) if values else None

    def always_vector(self, place: int) -> Vector:
        values = self._numbers(place, 3)
        return (values[0], values[1], values[2]) if values else (0.0, 0.0, 0.0)

    def quaternion(self, place: int, bit: int) -> Optional[Quaternion]:
        values = self._numbers(place, 4) if self._has(bit) else None
        return (values[0], values[1], values[2], values[3]) if values else None


def name_of(names: Sequence[str], code: int, otherwise: str) -> str:
    return names[code] if code < len(names) else otherwise


def text_of(data: bytes, offset: int, length: int) -> str:
    if offset + length > len(data):
        raise ProtocolError("a text is outside of its block")
    return data[offset : offset + length].decode("utf-8", "replace")
