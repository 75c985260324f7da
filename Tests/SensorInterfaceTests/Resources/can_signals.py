#!/usr/bin/env python3
"""Makes can_signals.txt: signals of CAN frames with the values that cantools reads, for CANSignalTableTests.

usage: python3 can_signals.py > can_signals.txt      (pip install cantools)
Each line: start length order(0 Motorola, 1 Intel) sign(+ or -) factor offset bytes-of-the-frame raw value.
"""
import random
from decimal import Decimal

from cantools.database.can import Message, Signal
from cantools.database.conversion import LinearConversion, LinearIntegerConversion

random.seed(20261123)
FACTORS = ["1", "0.01", "0.05625", "-0.5", "0.0039", "2"]
OFFSETS = ["0", "-40", "0.25"]


def sequential(start):
    """Position of a bit counted from the most significant bit of the first byte."""
    return start // 8 * 8 + 7 - start % 8


for number in range(600):
    size = 8 if number % 3 else random.choice([1, 2, 5, 12, 24, 64])
    length = random.choice([1, 2, 7, 8, 9, 12, 16, 24, 31, 32, 33, 63, 64])
    length = min(length, 8 * size)
    intel = random.random() < 0.5
    while True:
        start = random.randrange(8 * size)
        if (start if intel else sequential(start)) + length <= 8 * size:
            break
    signed = random.random() < 0.5
    factor, offset = random.choice(FACTORS), random.choice(OFFSETS)
    conversion = LinearConversion(float(factor), float(offset), False)
    signal = Signal("S", start, length, "little_endian" if intel else "big_endian", signed, conversion=conversion)
    message = Message(1, "M", size, [signal], is_fd=size > 8, strict=True)
    kind = number % 5
    data = bytes(size) if kind == 0 else bytes([255] * size) if kind == 1 else random.randbytes(size)
    raw = message.decode(data, scaling=False)["S"]
    value = message.decode(data)["S"]
    print(start, length, 1 if intel else 0, "-" if signed else "+", factor, offset, data.hex(), raw, repr(float(value)))
