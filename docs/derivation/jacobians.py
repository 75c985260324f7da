#!/usr/bin/env python3
"""Derives the error dynamics and the rows of the observations from the nonlinear model (docs/math.md, sections 4
and 5).

usage: jacobians.py           print the derivatives' numbers at random states, as kept in
                              Tests/FusionTests/Resources/jacobians.txt
       jacobians.py --check   compare them with that file, and with central differences of the nonlinear model
       jacobians.py --terms   print how large the terms are that the filter leaves out

Errors are true minus estimated; those of attitude and mount rotation vectors on the left: C = Exp(a) C^. World axes
are east, north, up.
Needs SymPy and NumPy.
"""

import itertools
import pathlib
import sys

import numpy as np
import sympy as sp

KEPT = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "FusionTests" / "Resources" / "jacobians.txt"
STATES = 40
SEED = 2711

# The error state: name, first index, length (Sources/Fusion/State/StateTable.swift).
LAYOUT = [
    ("p", 0, 3),
    ("v", 3, 3),
    ("a", 6, 3),
    ("b", 9, 3),
    ("d", 12, 3),
    ("m", 15, 3),
    ("o", 18, 1),
    ("Tp", 19, 1),
    ("Tv", 20, 1),
    ("g", 21, 3),
    ("s", 24, 1),
    ("k", 25, 1),
    ("c", 26, 3),
    ("y", 29, 1),
    ("l", 30, 2),
    ("Tw", 32, 1),
    ("j", 33, 3),
]
COUNT = 36
# What a state is described by, in the order of the file.
INPUTS = [
    ("latitude", 1),
    ("height", 1),
    ("v", 3),
    ("qC", 4),
    ("b", 3),
    ("d", 3),
    ("qM", 4),
    ("o", 1),
    ("Tp", 1),
    ("Tv", 1),
    ("s", 1),
    ("k", 1),
    ("c", 3),
    ("y", 1),
    ("j", 3),
    ("rate", 3),
    ("force", 3),
    ("lever", 3),
    ("past", 3),
    ("slope", 3),
    ("gained", 3),
    ("wheel", 1),
    ("walked", 2),
]


def skew(v):
    return sp.Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def vee(m):
    return sp.Matrix([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]) / 2


def matrix_of(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Symbols:
    """The inputs and errors as symbols; `at` gives a quantity with its error, `frozen` without. Rotations are nine
    symbols each."""

    def __init__(self):
        self.inputs = {n: sp.Matrix(sp.symbols(f"{n}_0:{9 if n in 'qC qM' else k}", real=True)) for n, k in INPUTS}
        self.errors = {n: sp.Matrix(sp.symbols(f"d{n}_0:{k}", real=True)) for n, _, k in LAYOUT}
        self.x = sp.Matrix([e for n, _, _ in LAYOUT for e in self.errors[n]])

    def frozen(self, name):
        return self.inputs[name]

    def at(self, name):
        return self.inputs[name] + self.errors[name]

    # To first order in the error, all that a first derivative needs.
    def attitude(self, error=True):
        c = self.inputs["qC"].reshape(3, 3)
        return (sp.eye(3) + skew(self.errors["a"])) * c if error else c

    def mount(self, error=True):
        m = self.inputs["qM"].reshape(3, 3)
        return (sp.eye(3) + skew(self.errors["m"])) * m if error else m

    def rate(self, error=True, turning_error=False):
        """Eq. 3.5; `turning_error`: the rate about the vertical has the errors of bias and mount, too, which the filter
        leaves out."""
        b = self.at("b") if error else self.frozen("b")
        c = self.at("c") if error else self.frozen("c")
        inner = self.frozen("rate") - (self.at("b") if turning_error else self.frozen("b"))
        return self.frozen("rate") - b - c * (self.mount(turning_error) * inner)[2]

    def force(self, error=True, forward_error=False):
        """Eq. 3.5; `forward_error`: the force along the vehicle's axes has the errors of bias and mount, too, which the
        filter leaves out."""
        d, j = (self.at("d"), self.at("j")) if error else (self.frozen("d"), self.frozen("j"))
        m = self.mount(forward_error)
        f = m * (self.frozen("force") - (self.at("d") if forward_error else self.frozen("d")))
        false = sp.Matrix([j[0] * f[0] + j[1] * f[1], j[2] * f[1], 0])
        return self.frozen("force") - d - m.T * false


def earth(latitude, height, v):
    """Rates of the Earth and of the local frame over it, eq. 3.5."""
    a, f, omega = 6378137, 1 / sp.Float("298.257223563", 20), sp.Float("7.292115e-5", 20)
    e2 = f * (2 - f)
    root = sp.sqrt(1 - e2 * sp.sin(latitude) ** 2)
    meridian, parallel = a * (1 - e2) / root**3 + height, a / root + height
    own = sp.Matrix([0, omega * sp.cos(latitude), omega * sp.sin(latitude)])
    return own, sp.Matrix([-v[1] / meridian, v[0] / parallel, v[0] * sp.tan(latitude) / parallel])


def dynamics(s, full):
    """Rates of the nine leading errors, eq. 4.1. `full`: with the terms that the filter leaves out."""
    v = s.at("v")
    seen = v if full else s.frozen("v")
    own, transport = earth(s.frozen("latitude")[0], s.frozen("height")[0], seen)
    own_hat, transport_hat = earth(s.frozen("latitude")[0], s.frozen("height")[0], s.frozen("v"))
    c, c_hat = s.attitude(), s.attitude(False)
    gravity = sp.Matrix([0, 0, 10])  # Drops out: the place is the same.
    acceleration = c * s.force(True, full) - gravity - (2 * own + transport).cross(seen)
    acceleration_hat = c_hat * s.force(False) - gravity - (2 * own_hat + transport_hat).cross(s.frozen("v"))
    # C' = C [w]x - [W]x C for truth and estimate; the error's rate is that of C C^T.
    turning = c * skew(s.rate(True, full)) - skew(own + transport) * c
    turning_hat = c_hat * skew(s.rate(False)) - skew(own_hat + transport_hat) * c_hat
    attitude = vee(turning * c_hat.T + c * turning_hat.T)
    return sp.Matrix.vstack(s.errors["v"], acceleration - acceleration_hat, attitude)


def observations(s, full):
    """Predictions of all observations by name, section 5. `full`: with the products of parameters that the filter
    leaves out."""
    c, m = s.attitude(), s.mount()
    body = c * m.T
    lever = body * (s.frozen("lever") + sp.Matrix([*s.errors["l"], 0]))
    found = {}
    # An error of the velocity is one of the way of the lag, of the lag one of that way's beginning.
    way = s.frozen("past") * s.at("Tp")[0] + s.errors["v"] * s.frozen("Tp")[0]
    position = s.errors["p"] + lever + s.errors["g"] - way
    velocity = (
        s.at("v")
        - s.frozen("slope") * s.at("Tv")[0]
        + (
            c
            * (
                s.rate()
                if full
                else s.frozen("rate")
                - s.at("b")
                - s.frozen("c") * (s.mount(False) * (s.frozen("rate") - s.frozen("b")))[2]
            )
        ).cross(lever)
    )
    gait = s.at("v") - c * s.attitude(False).T * sp.Matrix([*s.frozen("walked"), 0])
    for k in range(3):
        found[f"position{k}"] = position[k]
        found[f"velocity{k}"] = velocity[k]
        if k < 2:
            found[f"gait{k}"] = gait[k]
    v = m * c.T * s.at("v")
    held = s.mount(False) * s.attitude(False).T * s.frozen("v")
    rate = m * s.rate(True, True) if full else s.mount(False) * s.rate(False)
    push = ((m * c.T if full else s.mount(False) * s.attitude(False).T) * s.frozen("gained"))[0]
    along = v[0] if full else held[0]
    found["noSlipLateral"] = v[1] + rate[2] * s.at("o")[0] + s.at("y")[0] * along**2 * rate[2]
    found["noSlipVertical"] = v[2] - rate[1] * s.at("o")[0] + s.at("k")[0] * push * along
    found["level"] = (body * sp.Matrix([0, 1, 0]))[2]
    found["wheelSpeed"] = v[0] - s.at("s")[0] * s.frozen("wheel")[0]
    up = s.attitude().T[:, 2] if full else s.attitude(False).T[:, 2]
    found["zeroRotation"] = up.dot(s.at("b"))
    return found


def derivative(s, expressions):
    """A function of the inputs that gives the derivatives by the error state, at no error."""
    flat = [i for n, _ in INPUTS for i in s.inputs[n]]
    # The errors are set to zero in numbers: SymPy takes ten times as long for it.
    jacobian_at = sp.lambdify(flat + list(s.x), sp.Matrix(expressions).jacobian(s.x), "numpy", cse=True)
    return lambda *inputs: jacobian_at(*inputs, *[0.0] * COUNT)


def random_inputs(random):
    def unit():
        q = random.normal(size=4)
        return q / np.linalg.norm(q)

    values = {
        "latitude": [random.uniform(-1.2, 1.2)],
        "height": [random.uniform(0, 3000)],
        "v": random.uniform(-1, 1, 3) * [20, 20, 2],
        "qC": unit(),
        "b": random.normal(size=3) * 0.01,
        "d": random.normal(size=3) * 0.1,
        "qM": unit(),
        "o": [random.uniform(-2, 2)],
        # A lag that is long enough for the velocity to count.
        "Tp": [random.uniform(0.06, 0.3)],
        "Tv": [random.uniform(0.05, 0.3)],
        "s": [random.uniform(0.95, 1.05)],
        "k": [random.uniform(-0.01, 0.01)],
        "c": random.normal(size=3) * 0.005,
        "y": [random.uniform(-0.005, 0.005)],
        "j": random.normal(size=3) * 0.01,
        "rate": random.normal(size=3) * 0.3,
        "force": random.normal(size=3) * 3 + [0, 0, 9.8],
        "lever": random.normal(size=3),
        "past": random.uniform(-20, 20, 3),
        "slope": random.normal(size=3) * 2,
        "gained": random.normal(size=3) * 2,
        "wheel": [random.uniform(1, 25)],
        "walked": random.uniform(-1.5, 1.5, 2),
    }
    # Rounded as the file has them, so that the file's readers see the very state.
    return {n: [float(f"{v:.10g}") for v in values[n]] for n, _ in INPUTS}


def arguments(inputs):
    """The inputs as the symbols take them."""
    return [v for n, _ in INPUTS for v in (matrix_of(inputs[n]).ravel() if n in "qC qM" else inputs[n])]


def tables(full):
    """For each random state: its inputs, the dynamics, the rows."""
    s = Symbols()
    rows = observations(s, full)
    dynamics_at, rows_at = derivative(s, list(dynamics(s, full))), derivative(s, list(rows.values()))
    random = np.random.default_rng(SEED)
    for _ in range(STATES):
        inputs = random_inputs(random)
        yield inputs, np.array(dynamics_at(*arguments(inputs)), float), dict(
            zip(rows, np.array(rows_at(*arguments(inputs)), float))
        )


def text():
    lines = [
        "# Written by docs/derivation/jacobians.py: derivatives of the nonlinear model at random states. state: "
        + ", ".join(n for n, _ in INPUTS)
        + "; F and H: element:value."
    ]

    def sparse(values):
        return " ".join(f"{i}:{v:.10g}" for i, v in enumerate(values) if abs(v) > 1e-9)

    for inputs, dynamics_now, rows in tables(False):
        lines.append("state " + " ".join(f"{v:.10g}" for n, _ in INPUTS for v in inputs[n]))
        lines += [f"F {i} {sparse(row)}" for i, row in enumerate(dynamics_now)]
        lines += [f"H {name} {sparse(row)}" for name, row in rows.items()]
    return "\n".join(lines) + "\n"


def differences():
    """The largest difference between the full derivatives and central differences of the nonlinear model, for rotations
    to first order."""
    s = Symbols()
    flat = [i for n, _ in INPUTS for i in s.inputs[n]]
    rows = observations(s, True)
    # The rotation's second order is even in the error: central differences do not see it.
    values_at = sp.lambdify(flat + list(s.x), list(dynamics(s, True)) + list(rows.values()), "numpy", cse=True)
    worst = 0.0
    for inputs, dynamics_now, row_values in itertools.islice(tables(True), 8):
        expected = np.vstack([dynamics_now, *row_values.values()])
        for element in range(COUNT):
            step = np.zeros(COUNT)
            step[element] = 1e-5
            plus, minus = (np.array(values_at(*arguments(inputs), *(sign * step)), float).ravel() for sign in (1, -1))
            worst = max(worst, np.abs((plus - minus) / 2e-5 - expected[:, element]).max())
    return worst


def print_terms():
    names = [n for n, first, length in LAYOUT for _ in range(length)]
    left = {}
    for (_, small, few), (_, large, all_rows) in zip(tables(False), tables(True)):
        for label, difference in [("F", large - small)] + [(n, (all_rows[n] - few[n])[None]) for n in few]:
            for i, j in zip(*np.nonzero(np.abs(difference) > 1e-12)):
                key = (f"{label} {'pva'[i // 3]}" if label == "F" else label, names[j])
                left[key] = max(left.get(key, 0), abs(difference[i, j]))
    for (what, by), size in sorted(left.items()):
        print(f"{what:20} by {by:3} {size:.2e}")


def check():
    difference = differences()
    if not difference < 1e-5:
        sys.exit(f"derivatives differ from central differences by {difference:.1e}")
    # Numbers, not text: libraries differ in the last digit.
    kept, fresh = KEPT.read_text().split(), text().split()
    if len(kept) != len(fresh):
        sys.exit(f"{KEPT} is out of date: write it anew with {pathlib.Path(__file__).name}")
    for a, b in zip(kept, fresh):
        parts = zip(a.split(":"), b.split(":"))
        for x, y in parts:
            try:
                same = abs(float(x) - float(y)) <= 1e-8 * (1 + abs(float(x)))
            except ValueError:
                same = x == y
            if not same:
                sys.exit(f"{KEPT} is out of date at {a}, now {b}: write it anew with {pathlib.Path(__file__).name}")
    print(f"{STATES} states agree; central differences to {difference:.0e}")


if __name__ == "__main__":
    if "--check" in sys.argv:
        check()
    elif "--terms" in sys.argv:
        print_terms()
    else:
        sys.stdout.write(text())
