#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports as people see them: in a browser, on a phone and on a screen, light and dark, and on paper.

    report_test.py path/to/ddp-report-pages path/to/ddpctl path/to/ddp-traffic

With REPORT_SHOTS set to a folder, pictures of the pages are left there."""

import collections
import html.parser
import json
import os
import pathlib
import re
import shutil
import unittest

from support import browser, harness
from packets import DATA, eth, gtpu, ipv4, packet, udp

WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")
PAPER = 688  # points of a page of A4 within its margins
CONTRAST = 4.5  # of text, WCAG 2 AA
GRAPHICS = 3  # of lines and bars

# What is wrong with how the page is laid out, as a list of sentences.
LAYOUT = r"""
(() => {
  const found = [];
  const say = (what, element) => found.push(
      `${what}: <${element.tagName} class="${element.getAttribute("class") || ""}"> ` +
      element.textContent.trim().slice(0, 60));
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth)
    found.push(`the page is ${root.scrollWidth} wide, its window ${root.clientWidth}`);
  const has_text = element => [...element.childNodes].some(
      node => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest("svg") || !element.getClientRects().length) continue;
    if (element.clientWidth > 0 && (element.scrollWidth > element.clientWidth + 1 ||
                                    element.scrollHeight > element.clientHeight + 1))
      say(`cut off at ${element.clientWidth} x ${element.clientHeight} of ` +
          `${element.scrollWidth} x ${element.scrollHeight}`, element);
    if (!has_text(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(element);
    for (const box of range.getClientRects())
      if (box.left < -0.5 || box.right > root.clientWidth + 0.5) say("beyond the page", element);
    if (parseFloat(getComputedStyle(element).fontSize) < 11.5) say("small letters", element);
  }
  // A row's cells side by side do not cover each other.
  for (const row of document.querySelectorAll("tr")) {
    const cells = [...row.cells].filter(cell => cell.getClientRects().length);
    cells.slice(1).forEach((cell, i) => {
      const a = cells[i].getBoundingClientRect(), b = cell.getBoundingClientRect();
      if (b.left < a.right - 0.5 && b.top < a.bottom - 0.5) say("cells cover each other", row);
    });
  }
  for (const svg of document.querySelectorAll("svg.chart")) {
    const whole = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")];
    const boxes = texts.map(text => text.getBoundingClientRect());
    boxes.forEach((a, i) => {
      if (a.left < whole.left - 0.5 || a.right > whole.right + 0.5 || a.top < whole.top - 0.5 ||
          a.bottom > whole.bottom + 0.5) say("beyond its chart", texts[i]);
      if (a.height < 9) say(`letters ${a.height} high`, texts[i]);
      boxes.slice(i + 1).forEach((b, k) => {
        if (a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 &&
            b.top < a.bottom - 0.5)
          say(`covered by '${texts[i + 1 + k].textContent}'`, texts[i]);
      });
    });
    for (const shape of svg.querySelectorAll("path, rect, line, circle")) {
      const box = shape.getBoundingClientRect();
      if (box.left < whole.left - 2 || box.right > whole.right + 2 || box.top < whole.top - 2 ||
          box.bottom > whole.bottom + 2) say("beyond its chart", shape);
    }
  }
  return found;
})()
"""

# What is too pale, as a list of sentences.
COLOURS = r"""
(() => {
  const found = new Set();
  const channels = colour => colour.match(/[\d.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = channels(colour).map(c => c / 255).map(
        c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (channels(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const check = (element, colour, least) => {
    const a = light(colour), b = light(behind(element));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < least)
      found.add(`${element.tagName} ${element.getAttribute("class")}: ${contrast.toFixed(2)}`);
  };
  for (const element of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    if (element.tagName === "text") check(element, style.fill, %(text)s);
    else if (element.matches("path, .worst")) check(element, style.stroke, %(graphics)s);
    else if (element.matches(".bar:not(.most)")) check(element, style.fill, %(graphics)s);
    else if (!element.closest("svg") && element.textContent.trim())
      check(element, style.color, %(text)s);
  }
  return [...found];
})()
""" % {"text": CONTRAST, "graphics": GRAPHICS}


class Outline(html.parser.HTMLParser):
    """Headings and what has to be said of things, of a page."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.ids, self.refs, self.charts, self.tables = [], [], [], [], 0
        self.captions = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.refs += [attrs[key].removeprefix("#") for key in ("href", "aria-labelledby") if key in attrs]
        if tag == "svg" and attrs.get("aria-hidden") != "true":
            self.charts.append((attrs.get("role"), attrs.get("aria-label")))
        self.tables += tag == "table"
        self.captions += tag == "caption"


class Tables(html.parser.HTMLParser):
    """{caption: rows of cells as text}; in a row of a tree, its depth comes first."""

    def __init__(self, text):
        super().__init__()
        self.found, self.caption, self.cell, self.depth = {}, None, None, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "tr":
            self.found.setdefault(self.caption, []).append([])
        elif tag in ("caption", "td", "th"):
            self.cell = ""
            self.depth = re.fullmatch(r"d(\d)", attrs.get("class", ""))

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag == "caption":
            self.caption, self.cell = self.cell, None
        elif tag in ("td", "th"):
            self.found[self.caption][-1] += [int(self.depth[1])] if self.depth else []
            self.found[self.caption][-1].append(self.cell)
            self.cell = None


def share(part, whole=1):
    value = part / whole
    return "<0.1%" if 0 < value < 0.001 else ">99.9%" if 0.999 < value < 1 else f"{100 * value:.1f}%"


def part(n, whole):
    return share(n, whole) if n else "–"


def size(n):
    for unit in ("bytes", "kB", "MB"):
        if n < 999.5:
            return f"{n:.{0 if unit == 'bytes' or n >= 99.95 else 1}f} {unit}"
        n /= 1000
    raise ValueError(n)


def type_row(depth, name, types, n_packets, imbalance):
    n, unhashed = (sum(numbers[i] for _, *numbers in types) for i in (0, 1))
    return [depth, name, f"{n:,}", share(n, n_packets), imbalance, part(unhashed, n)]


def type_rows(types, n_packets, depth=0):
    """The tree of types with the same first words, for types as (words, packets, unhashed, imbalance)."""
    branches = collections.defaultdict(list)
    for words, *numbers in types:
        branches[words[0]].append((words[1:], *numbers))
    for name, branch in sorted(branches.items(), key=lambda item: -sum(n for _, n, *_ in item[1])):
        last = name
        while len({words[:1] for words, *_ in branch}) == 1 and branch[0][0]:
            last = branch[0][0][0]
            name += f"_{last}"
            branch = [(words[1:], *numbers) for words, *numbers in branch]
        own = [kind for kind in branch if not kind[0]]
        imbalance = f"{own[0][3]:.2f}" if own else ""
        yield type_row(depth, name, branch, n_packets, imbalance if len(branch) == 1 else "")
        if own and len(branch) > 1:
            yield type_row(depth + 1, f"other {last}", own, n_packets, imbalance)
        yield from type_rows([kind for kind in branch if kind[0]], n_packets, depth + 1)


class Report(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        harness.output_of(harness.tools["ddp-report-pages"], cls.folder)
        capture = cls.traffic("--kind", "mix", "--ues", 100, "--zipf", 1.1, "--packets", 20000)
        harness.output_of(harness.tools["ddpctl"], "simulate", "gtpu", capture, "--queues", 16, "--with",
                          "gtpu:ue", "--core-mpps", 2, "--report", cls.folder / "ctl-simulate.html")
        harness.output_of(harness.tools["ddpctl"], "advise", capture, "--load-mpps", 20, "--core-mpps", 2,
                          "--report", cls.folder / "ctl-advise.html")
        cls.pages = sorted(cls.folder.glob("*.html"))
        assert cls.pages

    def each_page(self):
        for page in self.pages:
            with self.subTest(page.stem):
                yield page


class Text(Report):
    def test_tidy_has_nothing_to_say(self):
        if shutil.which("tidy") is None:
            self.skipTest("tidy is not installed")
        for page in self.each_page():
            result = harness.run("tidy", "-quiet", "-errors", "--mute-id", "yes", page)
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_what_is_seen_is_also_said(self):
        for page in self.each_page():
            outline = Outline(page.read_text(encoding="utf-8"))
            self.assertEqual(outline.headings[0], 1)
            self.assertEqual(outline.headings.count(1), 1)
            for this, after in zip(outline.headings, outline.headings[1:]):
                self.assertLessEqual(after, this + 1)
            self.assertEqual(len(set(outline.ids)), len(outline.ids))
            self.assertLessEqual(set(outline.refs), set(outline.ids))
            self.assertEqual(outline.tables, outline.captions)
            for role, label in outline.charts:
                self.assertEqual(role, "img")
                self.assertRegex(label, r"\w{3}")


class Numbers(harness.TestCase):
    """Those of the tables are those of --json."""

    def setUp(self):
        traffic = self.traffic("--kind", "mix", "--ues", 40, "--zipf", 1.1, "--packets", 3000)
        frames = [frame for frame, _ in harness.pcap_frames(traffic)]
        others = [packet(eth(type=0x88b5), DATA)] * 40 + [packet(eth(), ipv4(), DATA)] * 3 + [
            packet(eth(), ipv4(), udp(2152), gtpu(7), ipv4(), DATA)] * 5
        self.path = self.capture("numbers", frames + others)

    def look(self, *options, spec="gtpu"):
        """The simulation's JSON, by their names those shown, the best first, and the report's tables and text."""
        page = self.folder / "numbers.html"
        got = json.loads(harness.output_of(harness.tools["ddpctl"], "simulate", spec, self.path, "--json",
                                           "--queues", 5, *options, "--report", page))
        best = min(got["candidates"], key=lambda side: side["imbalance"])
        sides = [best, *(side for side in got["candidates"] if side is not best)]
        sides = {f"{chr(ord('A') + i)} {side['name']}": side for i, side in enumerate(sides)}
        text = page.read_text(encoding="utf-8")
        return got, {**sides, "NIC fixed-function NIC": got["baseline"]}, Tables(text).found, text

    def test_candidates(self):
        got, sides, tables, _ = self.look("--with", "gtpu", "--rule", "pattern eth / ipv6 / end actions drop / end",
                                          "--core-mpps", 1, "--load-mpps", 2.5, spec="gtpu:ue")
        n = got["packets"]
        self.assertNotEqual(list(sides)[0], "A gtpu:ue")
        self.assertEqual(tables["What each candidate does with the same packets"][1:], [
            [name, f"{side['imbalance']:.3f}", f"{side['jain']:.3f}", share(side["hottest"]),
             share(side["unhashed"], n), share(side["dropped"], n), f"{side['hashes']:,}",
             share(side["largest_hash"], n), f"{side['least_imbalance']:.3f}", f"{side['cores'] or 'over 1024'}"]
            for name, side in sides.items()])

    def test_other_keys(self):
        """A reader of the page must see what of the imbalance is luck with the key."""
        _, sides, _, text = self.look("--with", "gtpu:ue")
        for side in sides.values():
            self.assertEqual(side["keys"]["number"], 128)
            ranges = [f"{part['median']:.2f} ({part['low']:.2f} to {part['high']:.2f})"
                      for part in (side["keys"]["imbalance"], side["keys"]["balanced"])]
            self.assertIn(f"{ranges[0]}; with load-aware RSS {ranges[1]}</li>", text)
        self.assertNotIn('id="keys"', self.look("--hash", "simple_xor")[3])

    def test_what_nics_can_do(self):
        """The same as `plan` and --nic-now say, for who gets only the page."""
        got, sides, tables, _ = self.look("--nic-now", "--with", "gtpu:ue")
        best = list(sides)[0].split(" ", 1)[1]
        rows = []
        for now in got["nics"]:
            plan = json.loads(harness.output_of(harness.tools["ddpctl"], "plan", best, "--json", "--nic", now["nic"],
                                                "--root", self.folder))
            spread = plan["spread"]
            where = [kind["where"] for kind in plan["packet_types"]]
            rows.append([spread["verdict"] + (f"; needs {spread['setup']}" if spread["setup"] else ""),
                         f"{spread['spread_types']} of {spread['types']}", str(spread["rules"]),
                         f"{where.count('hardware')} of {len(where) - where.count('not at all')}",
                         f"{now['imbalance']:.3f}"])
        self.assertEqual([row[1:] for row in tables["Kinds of NIC"][1:]], rows)
        self.assertEqual(len(self.look()[2]["Kinds of NIC"][0]), 5)

    def test_packet_types(self):
        for options in ((), ("--with", "gtpu:ue")):
            got, sides, tables, text = self.look(*options)
            for name in (list(sides)[0], list(sides)[-1]):
                side = sides[name]
                types = [(tuple(kind["name"].split("_")), kind["packets"], spread["unhashed"], spread["imbalance"])
                         for kind, spread in zip(side["ptypes"], side["ptype_spreads"])]
                self.assertEqual(tables[name][1:], list(type_rows(types, got["packets"])))
            self.assertEqual("The other candidates may know the packets by other types" in text, len(sides) > 2)

    def test_what_belongs_together(self):
        _, sides, tables, _ = self.look("--with", "gtpu:ue")
        for caption, key in (("Do all packets of a UE come to one queue?", "ues"),
                             ("Do both directions of a flow come to one queue?", "directions")):
            rows = []
            for name, side in sides.items():
                met, example = side[key], "all meet"
                if met["parted"]:
                    places = zip(met["example"]["packets"], met["example"]["queues"])
                    example = f"{met['example']['who']}: " + ", ".join(
                        f"packet {n:,} on queue {queue}" for n, queue in places)
                rows.append([name, f"{met['number']:,}", f"{met['parted']:,}",
                             share(met["parted"], met["number"]), example])
            self.assertEqual(tables[caption][1:], rows)

    def test_flows(self):
        got, _, tables, _ = self.look()
        self.assertEqual(tables["Flows with the most packets"][1:], [
            [flow["flow"], flow["ptype"], f"{flow['packets']:,}", share(flow["packets"], got["packets"]),
             size(flow["bytes"])] for flow in got["flows"]["top"]])


class Browsed(Report):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def assert_quiet(self, page):
        """Neither the console nor the network have heard of the page."""
        self.assertEqual(self.browser.of("Log.entryAdded", "Runtime.consoleAPICalled",
                                         "Runtime.exceptionThrown"), [])
        urls = [event["request"]["url"] for event in self.browser.of("Network.requestWillBeSent")]
        self.assertEqual(urls, [page.resolve().as_uri()])

    def shoot(self, page, name):
        folder = os.environ.get("REPORT_SHOTS")
        if folder:
            self.browser.screenshot(pathlib.Path(folder) / f"{page.stem}-{name}.png")

    def test_nothing_is_cut_off_or_too_pale(self):
        for page in self.each_page():
            for width in WIDTHS:
                for scheme in SCHEMES:
                    self.browser.look(width, scheme)
                    self.browser.open(page)
                    with self.subTest(width=width, scheme=scheme):
                        self.assertEqual(self.browser.value(LAYOUT), [])
                        self.assertEqual(self.browser.value(COLOURS), [])
                        self.assert_quiet(page)
                    self.shoot(page, f"{width}-{scheme}")

    def test_any_width_between_will_do(self):
        for page in self.each_page():
            self.browser.look(320)
            self.browser.open(page)
            for width in (320, 700, 859, 860, 900):
                self.browser.look(width)
                with self.subTest(width=width):
                    self.assertEqual([line for line in self.browser.value(LAYOUT)
                                      if not line.startswith("letters")], [])

    def test_on_paper_it_is_dark_on_white_and_whole(self):
        for page in self.each_page():
            self.browser.look(PAPER, "dark", "print")
            self.browser.open(page)
            self.assertEqual(self.browser.value("getComputedStyle(document.body).backgroundColor"),
                             "rgb(255, 255, 255)")
            self.assertEqual(self.browser.value(LAYOUT), [])
            self.assertEqual(self.browser.value(COLOURS), [])
            self.shoot(page, "paper")
            self.assertTrue(self.browser.pdf().startswith(b"%PDF-"))
            self.assert_quiet(page)

    def test_the_checks_find_what_they_are_for(self):
        """A page that is broken in each way is found to be."""
        self.browser.look(390)
        page = self.folder / "broken.htm"
        page.write_text("""<!DOCTYPE html><html lang="en"><title>x</title><body>
            <p style="width: 40px; white-space: nowrap; overflow: hidden">cut off at its end</p>
            <p style="width: 800px">beyond</p><p style="color: #bbb">pale</p>
            <svg class="chart" viewBox="0 0 100 20" width="100"><text x="90" y="9">long text</text>
            <text x="0" y="9">one</text><text x="4" y="9">two</text></svg>
            <script>console.error("noise")</script>""", encoding="utf-8")
        self.browser.open(page)
        found = "\n".join(self.browser.value(LAYOUT))
        for what in ("the page is", "cut off at 40", "beyond its chart", "covered by 'two'"):
            self.assertIn(what, found)
        self.assertEqual(self.browser.value(COLOURS), ["P null: 1.92"])
        with self.assertRaises(AssertionError):
            self.assert_quiet(page)


if __name__ == "__main__":
    browser.require()
    harness.main("ddp-report-pages", "ddpctl", "ddp-traffic")
