#!/usr/bin/env python3
"""The plots of loop_tiers.py: steps a second against the number of environments, both logarithmic, a panel a part.

    python benchmarks/loop_plot.py runs/.../loop_tiers.json [more of them] benchmarks/loop_tiers.svg
"""
import json
import math
import statistics
import sys
from pathlib import Path

TITLES = {"rollout": "Rollouts with network and sampling", "train": "Whole iterations"}
COLOURS = {"gymnasium-torch": "#7f7f7f", "native-torch": "#8c564b", "eager": "#9467bd", "eager-bf16": "#e377c2", "fused": "#d62728",
           "fused-1-thread": "#ff7f0e", "jax": "#1f77b4", "rl2xla": "#17becf", "sb3": "#2ca02c"}
LABELS = {"gymnasium-torch": "2: Python environments, PyTorch loop", "native-torch": "3: native environments, PyTorch loop",
          "eager": "4: native loop, autograd", "eager-bf16": "4b: the same in bfloat16", "fused": "5: fused operators",
          "fused-1-thread": "5: the same on one thread", "jax": "single-jit loop in JAX", "rl2xla": "rl2xla", "sb3": "Stable-Baselines3"}
WIDTH, HEIGHT, LEFT, TOP = 400, 330, 52, 30  # of a panel


def medians(rows, side, part):
    """(environments, steps a second)."""
    sizes = sorted({row["num_envs"] for row in rows})
    mine = {n: [r["steps_per_second"] for r in rows if (r["num_envs"], r["side"], r["part"]) == (n, side, part)] for n in sizes}
    return [(n, statistics.median(values)) for n, values in mine.items() if values]


def short(value):
    return f"{value / 1e6:g}M" if value >= 1e6 else f"{value / 1e3:g}k" if value >= 1e3 else f"{value:g}"


def panel(rows, part, offset):
    lines = {side: points for side in COLOURS if (points := medians(rows, side, part))}
    rates = [rate for points in lines.values() for _, rate in points]
    sizes = sorted({n for points in lines.values() for n, _ in points})
    low, high = math.floor(math.log10(min(rates))), math.ceil(math.log10(max(rates) * 1.01))
    most = max(math.log2(sizes[-1] / sizes[0]), 1)
    plot_w, plot_h = WIDTH - LEFT - 14, HEIGHT - TOP - 40
    x = lambda n: offset + LEFT + plot_w * math.log2(n / sizes[0]) / most
    y = lambda rate: TOP + plot_h * (1 - (math.log10(rate) - low) / (high - low))
    out = [f'<text x="{offset + LEFT}" y="18" font-size="13">{TITLES[part]}, steps a second</text>']
    for power in range(low, high + 1):
        at = y(10.0**power)
        out.append(f'<line x1="{x(sizes[0]):.1f}" x2="{offset + LEFT + plot_w}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
                   f'<text x="{offset + LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{short(10.0**power)}</text>')
    for n in sizes:
        out.append(f'<text x="{x(n):.1f}" y="{HEIGHT - 24}" text-anchor="middle">{n}</text>')
    out.append(f'<text x="{offset + LEFT + plot_w / 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle">environments</text>')
    for side, points in lines.items():
        path = " ".join(f"{x(n):.1f},{y(rate):.1f}" for n, rate in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[side]}" stroke-width="1.8"/>')
        out += [f'<circle cx="{x(n):.1f}" cy="{y(rate):.1f}" r="2.6" fill="{COLOURS[side]}"><title>{LABELS[side]}: {n} environments, '
                f"{rate:,.0f} steps/s</title></circle>" for n, rate in points]
    return out


def svg(rows):
    parts = [part for part in TITLES if any(row["part"] == part for row in rows)]
    sides = [side for side in COLOURS if any(row["side"] == side for row in rows)]
    columns, legend = 3, 18 * math.ceil(len(sides) / 3) + 12
    width, height = WIDTH * max(len(parts), 1) + 20, HEIGHT + legend
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for number, part in enumerate(parts):
        out += panel(rows, part, number * WIDTH)
    for number, side in enumerate(sides):
        x, y = 12 + number % columns * (width - 12) / columns, HEIGHT + 16 + 18 * (number // columns)
        out.append(f'<line x1="{x:.0f}" x2="{x + 18:.0f}" y1="{y - 4}" y2="{y - 4}" stroke="{COLOURS[side]}" stroke-width="3"/>'
                   f'<text x="{x + 24:.0f}" y="{y}">{LABELS[side]}</text>')
    return "\n".join(out + ["</svg>", ""])


def main(files):
    if "--help" in files or len(files) < 2:
        print(__doc__)
        return 0 if "--help" in files else 2
    rows = [row for name in files[:-1] for row in json.loads(Path(name).read_text())["rows"]]
    Path(files[-1]).write_text(svg(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
