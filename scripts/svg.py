# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the pictures that plot-* draw, on light and on dark pages."""

import pathlib
import sys
from xml.sax.saxutils import escape, quoteattr

# As (class, property, on light, on dark); custom properties are unknown to some viewers.
COLOURS = (
    ("paper", "fill", "#ffffff", "#12161c"),
    ("text", "fill", "#5b6572", "#9aa5b1"),
    ("ink", "fill", "#1c2128", "#e8ecf1"),
    ("grid", "stroke", "#e6e9ed", "#262d36"),
    ("axis", "stroke", "#aab3bd", "#56616d"),
)
RED, BLUE, INK = ("#c8553d", "#f0836a"), ("#1f7a8c", "#4fb9cc"), ("#1c2128", "#e8ecf1")

SHAPES = """
.text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 12px }
.title { font-size: 21px; font-weight: 600 }
.subtitle { font-size: 14px }
.name { font-size: 15px; font-weight: 600 }
.end { text-anchor: end }
.middle { text-anchor: middle }
"""


def fail(message):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {message}")


def text(x, y, content, css="", transform=None):
    moved = f' transform="{transform}"' if transform else ""
    return f'<text x="{x:g}" y="{y:g}" class="text {css}"{moved}>{escape(content)}</text>'


def labels(css, marks):
    """One element for several texts: (x, y, content)."""
    spans = (f'<tspan x="{x:g}" y="{y:g}">{escape(content)}</tspan>' for x, y, content in marks)
    return f'<text class="text {css}">{"".join(spans)}</text>'


def lines(css, ends):
    """One element for several lines: (x1, y1, x2, y2)."""
    path = "".join(f"M{x1:g} {y1:g}L{x2:g} {y2:g}" for x1, y1, x2, y2 in ends)
    return f'<path d="{path}" class="{css}"/>'


def tick_step(most, parts):
    """The smallest of 1, 2, 5, 10, 20, ... that cuts an axis into at most so many parts."""
    step, factors = 1, (2, 2.5, 2)
    i = 0
    while most / step > parts:
        step = round(step * factors[i % 3])
        i += 1
    return step


def picture(width, height, title, subtitle, colours, shapes, body, described=None):
    """The text of the file: title and subtitle, then the lines of body."""
    light, dark = (" ".join(f".{name} {{ {what}: {shades[i]} }}" for name, what, *shades in (*COLOURS, *colours))
                   for i in (0, 1))
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" '
        f'height="{height:g}" role="img" aria-label={quoteattr(described or title)}>',
        f"<style>{SHAPES}{shapes}{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n</style>",
        f'<rect width="{width}" height="{height:g}" class="paper"/>',
        text(28, 42, title, "title ink"), text(28, 66, subtitle, "subtitle"), *body, "</svg>\n"))
