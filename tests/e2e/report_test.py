#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports as rendered by headless Chromium: on a phone, a screen and paper, light and dark, without script, and with
hostile names."""

import html
import json
import re
import shutil

from support import harness
from packets import DATA, eth, gtpu, ipv4, packet, udp

CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
            "--allow-file-access-from-files", "--virtual-time-budget=20000"]
WIDTHS = (320, 390, 1280)
HOSTILE = "</script><script>parent.owned=1</script><!--<img src=x onerror=parent.owned=1>\u2028&lt\"'"

# Loads pages into frames of each width, and leaves in its own page what they say and what is wrong with them.
FRAMES = r"""<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><script>
const wait = [], said = [];
const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
const channels = colour => colour.match(/[\d.]+/g).map(Number);
const open = element => !element.closest("details:not([open]) > :not(summary)") && element.getClientRects().length;
function faults(view) {
  const root = view.document.documentElement, found = new Set();
  const say = (what, element) => found.add(`${what}: ${element.tagName} ${element.textContent.trim().slice(0, 50)}`);
  if (/NaN|undefined|Infinity/.test(view.document.getElementById("main").outerHTML)) found.add("not a number");
  if (root.scrollWidth > root.clientWidth) found.add(`page ${root.scrollWidth} wide, window ${root.clientWidth}`);
  const behind = element => {
    const colour = channels(view.getComputedStyle(element).backgroundColor);
    return colour[3] !== 0 ? colour : behind(element.parentElement);
  };
  const contrast = (element, colour, least) => {
    const a = light(channels(colour)), b = light(behind(element));
    if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < least) say("pale", element);
  };
  for (const element of view.document.body.querySelectorAll("*")) {
    const style = view.getComputedStyle(element);
    if (element.matches("script") || !open(element)) continue;
    if (element.matches("rect.bar, text")) contrast(element, style.fill, element.matches("text") ? 4.5 : 3);
    if (element.matches(".curve")) contrast(element, style.stroke, 3);
    if (element.closest("svg") || ![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    contrast(element, style.color, 4.5);
    if (parseFloat(style.fontSize) < 11.5) say("small", element);
    const range = view.document.createRange();
    range.selectNodeContents(element);
    for (const box of element.closest("pre, .scroll") ? [] : range.getClientRects())
      if (box.left < -.5 || box.right > root.clientWidth + .5) say("beyond the page", element);
  }
  for (const chart of view.document.querySelectorAll("svg.chart")) {
    const texts = [...chart.querySelectorAll("text")], boxes = texts.map(text => text.getBoundingClientRect());
    boxes.forEach((a, i) => {
      if (a.left < -.5 || a.right > root.clientWidth + .5) say("beyond the page", texts[i]);
      boxes.slice(i + 1).forEach((b, k) => {
        if (a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2) say(`covered by ${texts[i + 1 + k].textContent}`, texts[i]);
      });
    });
  }
  return [...found];
}
for (const [page, width, script] of PAGES) {
  const frame = document.createElement("iframe");
  if (!script) frame.sandbox = "allow-same-origin";
  frame.style = `width:${width}px; height:900px; border:0; display:block`;
  wait.push(new Promise(done => frame.onload = () => {
    const view = frame.contentWindow, rows = [...view.document.querySelectorAll("tbody tr")];
    said.push({page, width, script, faults: faults(view), text: view.document.getElementById("main").innerText,
      shown: view.document.body.innerText, charts: view.document.querySelectorAll("svg.chart[role]").length,
      rows: rows.map(row => [...row.cells].map(cell => cell.textContent))});
    done();
  }));
  frame.src = page;
  document.body.append(frame);
}
Promise.all(wait).then(() => document.body.textContent = JSON.stringify({said, owned: window.owned || 0}));
</script>"""


class Report(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages = {}
        mix = cls.traffic("--kind", "mix", "--ues", 100, "--zipf", 1.1, "--packets", 20000, "--rate-pps", 100000)
        cls.report("simulate", "simulate", "gtpu", mix, "--with", "gtpu:ue", "--core-mpps", 2, "--nic-now", "--balance")
        cls.report("many", "simulate", "gtpu", mix, "--queues", 128)
        cls.report("one", "simulate", "gtpu", mix, "--queues", 1, "--balance=60000")
        cls.report("few", "simulate", "gtpu", cls.traffic("--packets", 300), "--balance", "--queues", 8,
                   "--with", "gtpu:ue", "--rule", "pattern eth / end actions drop / end")
        cls.report("advise", "advise", mix, "--load-mpps", 20, "--core-mpps", 2)
        cls.report("empty", "simulate", "gtpu", cls.capture("none", []))
        hostile = cls.folder / HOSTILE / "gtpu.yaml"
        hostile.parent.mkdir(parents=True)
        hostile.write_text((harness.SOURCE_ROOT / "profiles" / "gtpu.yaml").read_text(), encoding="utf-8")
        tunnel = [packet(eth(), ipv4("192.0.2.7", "192.0.2.9"), udp(2152), gtpu(1), ipv4(), udp(), DATA)] * 9
        cls.report("hostile", "simulate", hostile, cls.capture(HOSTILE, tunnel))
        cls.said = cls.render([[f"{name}.html", width, True] for name in cls.pages for width in WIDTHS] +
                              [["simulate.html", 390, False]])

    @classmethod
    def report(cls, name, *words):
        page = cls.folder / f"{name}.html"
        cls.pages[name] = harness.output_of(harness.tools["ddpctl"], *words, "--json", "--report", page)

    @classmethod
    def chromium(cls, *words):
        return harness.output_of(*CHROMIUM, f"--user-data-dir={cls.folder}/chromium", *words)

    @classmethod
    def render(cls, pages, *words):
        """{(page, width, script): what the frame says}."""
        frames = cls.folder / "frames.htm"
        frames.write_text(FRAMES.replace("PAGES", json.dumps(pages)), encoding="utf-8")
        dump = cls.chromium(*words, "--dump-dom", frames.as_uri())
        found = json.loads(html.unescape(re.search(r"<body[^>]*>(.*)</body>", dump, re.S)[1]))
        assert found["owned"] == 0 and len(found["said"]) == len(pages), found
        return {(each["page"].removesuffix(".html"), each["width"], each["script"]): each for each in found["said"]}

    def test_it_fits_and_is_not_pale(self):
        dark = self.render([[f"{name}.html", 390, True] for name in self.pages], "--blink-settings=preferredColorScheme=0")
        for said in self.said, dark:
            self.assertEqual({key: each["faults"] for key, each in said.items() if each["faults"]}, {})

    def test_it_has_the_json_of_the_option_and_loads_nothing(self):
        for name, printed in self.pages.items():
            page = (self.folder / f"{name}.html").read_text(encoding="utf-8")
            found = re.findall(r'<script type="application/json" id="json">(.*?)</script>', page, re.S)
            plain = re.sub(r"\\u(003c|003e|0026)", lambda code: chr(int(code[1], 16)), found[0])
            self.assertEqual((len(found), plain), (1, printed), name)
            self.assertEqual(page.count("<script"), 2)
            page = page.replace("img src", "")  # of the hostile name
            self.assertEqual(re.findall(r"https?://(?!www\.w3\.org/)|\ssrc=|href=|url\(|innerHTML", page.split("<pre>")[0]), [])

    def test_it_answers(self):
        """Is it even, which queue is hot and why, who is on it, and what to do?"""
        got, said = json.loads(self.pages["simulate"]), self.said["simulate", 1280, True]
        hot = max(got["baseline"]["queues"], key=lambda queue: queue["packets"])["queue"]
        for words in (f"Queue {hot} has ", "different hashes for", "ddp-fwd -b", "Load-aware RSS", "Other RSS keys"):
            self.assertIn(words, said["text"])
        flow = got["flows"]["top"][0]
        best = min(range(2), key=lambda i: got["candidates"][i]["imbalance"])
        row = [flow["flow"], flow["outer"] or "–", flow["ptype"], *(", ".join(map(str, flow["queues"][i])) for i in (best, -1))]
        self.assertIn(row, [each[:5] for each in said["rows"]])
        self.assertEqual(said["charts"], 3 + 1 + 1, "spread, cores and time")
        self.assertEqual(self.said["many", 390, True]["charts"], 2 + 1 + 1)
        advice = json.loads(self.pages["advise"])
        for words in (advice["headline"], *advice["reasons"], *advice["commands"].values()):
            self.assertIn(words, self.said["advise", 1280, True]["text"])
        self.assertEqual(self.said["empty", 390, True]["text"].strip(), "There were no packets.")
        self.assertIn("192.0.2.7 > 192.0.2.9", self.said["hostile", 390, True]["text"])

        for page in ("few", "one", "empty"):  # absent values are dashes
            self.assertNotRegex(self.said[page, 1280, True]["text"], r"\b0\.000?\b|NaN|Infinity|undefined|null")

    def test_without_script_it_shows_the_tables(self):
        shown = self.said["simulate", 390, False]["shown"]
        for words in ("CANDIDATE", "LARGEST FLOWS", "PACKET TYPE"):
            self.assertIn(words, shown)
            self.assertNotIn(words, self.said["simulate", 390, True]["shown"])

    def test_on_paper(self):
        self.chromium(f"--print-to-pdf={self.folder}/paper.pdf", (self.folder / "simulate.html").as_uri())
        self.assertTrue((self.folder / "paper.pdf").read_bytes().startswith(b"%PDF-"))


if __name__ == "__main__":
    if shutil.which(CHROMIUM[0]) is None:
        harness.skip("chromium is not installed")
    harness.main("ddpctl", "ddp-traffic")
