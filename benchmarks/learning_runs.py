"""What learning.py and small_learning.py have in common: starting runs, and drawing their curves."""
import math
import os
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin"
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b")
# Student's t of 95 % intervals, by degrees of freedom; beyond, the normal distribution's.
T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


def start(config, folder, seed, settings=(), **options):
    """The trainer as a process, its run in folder/seed-SEED."""
    command = [BIN / "orbit_train", "--config", config, "--set", f"training.seed={seed}", "--set", f"output.run_dir={folder}",
               "--set", f"output.run_name=seed-{seed}"]
    for setting in settings:
        command += ["--set", setting]
    return subprocess.Popen([str(c) for c in command], **options)


def write(path, text):
    """At once, so that nobody reads half of it."""
    half = path.with_suffix(path.suffix + ".half")
    half.write_text(text)
    half.replace(path)


def mean_and_half_width(values):
    """Of the 95 % interval of the mean; nan where one value says nothing about it."""
    mean, n = statistics.fmean(values), len(values)
    if n == 1:
        return mean, math.nan
    return mean, (T95[n - 2] if n - 2 < len(T95) else 1.96) * statistics.stdev(values) / math.sqrt(n)


class Panel:
    """Axes at a place of an SVG, as the text of its elements. x goes from 0 to x_max in five parts, y through the given ticks."""

    def __init__(self, left, top, width, height, x_max, y_ticks, title, x_label, y_text=str):
        self.left, self.top, self.width, self.height, self.x_max = left, top, width, height, x_max
        self.low, self.high = y_ticks[0], y_ticks[-1]
        self.out = [f'<text x="{left}" y="{top - 10}">{title}</text>']
        for tick in y_ticks:
            y = self.y(tick)
            self.out.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{y_text(tick)}</text>')
        for k in range(6):
            self.out.append(f'<text x="{left + width * k / 5:.1f}" y="{top + height + 20}" text-anchor="middle">{x_max * k / 5:.3g}</text>')
        self.out.append(f'<text x="{left + width / 2}" y="{top + height + 36}" text-anchor="middle">{x_label}</text>')

    def x(self, value):
        return self.left + self.width * min(value / self.x_max, 1)

    def y(self, value):
        share = (value - self.low) / (self.high - self.low)
        return self.top + self.height * (1 - min(max(share, 0), 1))

    def at(self, points):
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)

    def line(self, points, colour, title, width=1.6, dash="none"):
        self.out.append(f'<polyline points="{self.at(points)}" fill="none" stroke="{colour}" stroke-width="{width}" '
                        f'stroke-dasharray="{dash}"><title>{title}</title></polyline>')

    def band(self, low, high, colour):
        self.out.append(f'<polygon points="{self.at(low)} {self.at(reversed(high))}" fill="{colour}" fill-opacity="0.18"/>')


def svg(width, height, panels):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    return "\n".join(out + [text for panel in panels for text in panel.out] + ["</svg>", ""])
