#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The messages of ddpctl check about broken profiles, word for word.

    golden_test.py path/to/ddpctl [--update] [name...]

In broken.cases "# case: NAME" is the first line of NAME.yaml, a profile with one mistake. Its next two lines, "profile:
NAME" and "requires: [base]", are not written there, unless it begins with "# file: NAME". @demo and @types stand for
the lines below (PARTS). The lines that begin with "> " are what ddpctl check --strict NAME.yaml writes to stderr, but
for the quotation of a line of NAME.yaml below a message with its place: the test makes that. Files that would be long,
or are no text, are made here (MADE). In a profile
    # check: SPEC    is checked in place of the file
    # exit: N        is the exit code, where that is not 1
Profiles build on those in lib, so that no message depends on the real library. --update writes the messages anew:
read every line that changes.

The rows of tests/unit/profile have the other messages.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "broken.cases")

PARTS = {
    "@demo": "headers:\n  demo:\n    after: udp(dport=4000)\n    layout: version:4 flags:4 size:8 type:16\n",
    "@types": "packet_types:\n  DEMO:\n    path: link ipv4 udp demo\n    rss: ipv4.src ipv4.dst\n",
}

ddpctl = None
update = False
expected = {}


def profile(name, *parts):
    return "\n".join(["profile: " + name, "requires: [base]", *parts, ""])


def empty_file(name):
    return ""


def word(name):
    return "demo\n"


def latin_1(name):
    return f"# the last letter is no UTF-8\nprofile: {name}\nsummary: caf\udce9\n"


def too_many_headers(name):
    return profile(name, "headers:", *(f"  h{i}: {{after: udp(dport={i + 1}), layout: 'a:8'}}"
                                       for i in range(245)))


def too_many_packet_types(name):
    return profile(name, "packet_types:", *(f"  T{i}: {{path: eth vlan ipv4, when: {{ipv4.src: {i}}}}}"
                                            for i in range(999)))


def too_long_path(name):
    return profile(name, "packet_types:", "  LONG:", "    path: eth" + " vlan" * 250)


def too_many_path_steps(name):
    """Each type is within its own limit, all together are not."""
    return profile(name, "packet_types:", *(f"  T{i}: {{path: {'eth ' + 'vlan ' * 190}}}"
                                            for i in range(200)))


def too_many_paths(name):
    """(a|b)* a (a|b)^n has 2^n states as a deterministic automaton."""
    return profile(name, "headers:", "  a: {after: eth(type=1), layout: 'n:8'}",
                   "  b: {after: eth(type=2), layout: 'n:8'}",
                   "extend:",
                   "  a: {next: [{when: {n: 1}, then: a}, {when: {n: 2}, then: b}]}",
                   "  b: {next: [{when: {n: 1}, then: a}, {when: {n: 2}, then: b}]}",
                   "packet_types:", "  T:", "    path: eth (a | b)* a" + " (a | b)" * 14)


def too_many_messages(name):
    return profile(name, "packet_types:", *(f"  T{i}: {{path: ehh}}" for i in range(120)))


def too_large_file(name):
    return profile(name) + "# filler\n" * 120000


def too_many_profiles(name):
    """A chain: the made profile pNN requires the next one."""
    return f"profile: {name}\nrequires: [p1]\n"


MADE = {
    "a_file_is_empty": empty_file,
    "a_file_is_too_large": too_large_file,
    "a_packet_type_has_a_path_that_is_too_long": too_long_path,
    "a_profile_is_a_word": word,
    "a_text_is_not_utf8": latin_1,
    "there_are_too_many_headers": too_many_headers,
    "there_are_too_many_messages_to_print_all": too_many_messages,
    "there_are_too_many_packet_types": too_many_packet_types,
    "there_are_too_many_paths": too_many_paths,
    "there_are_too_many_profiles": too_many_profiles,
    "there_are_too_many_steps_in_all_paths": too_many_path_steps,
}


def write(folder, name, text):
    with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8", errors="surrogateescape") as out:
        out.write(text)


def directive(source, key, default):
    found = re.search(rf"^# {key}: (.*)$", source, re.MULTILINE)
    return found.group(1) if found else default


def check(folder, spec):
    """Run in folder, where NAME.yaml and lib are; these two come before the real library."""
    env = dict(os.environ, DDP_PROFILE_PATH="lib:.")
    done = subprocess.run([ddpctl, "check", "--strict", spec], cwd=folder, env=env, timeout=60,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    # Behind them, where profiles are searched for depends on the build.
    return done.returncode, re.sub(r"(not found in lib, \.), [^;\n]*", r"\1, ...", done.stderr.decode())


def whole(name, source):
    if name in MADE:
        return MADE[name](name)
    text = re.sub(r"^# case: (.*)\n", r"\g<0>profile: \1\nrequires: [base]\n", source)
    return re.sub(r"^(@\w+)\n", lambda found: PARTS[found[1]], text, flags=re.MULTILINE)


def quotation(name, source, message):
    """The line that a message names, and a mark below its place; not of blanks, nor of more than 400 bytes."""
    place = re.match(rf"{name}\.yaml:(\d+):(\d+): ", message)
    if not place:
        return ""
    line, column = int(place[1]), int(place[2])
    text = [*whole(name, source).split("\n"), ""][line - 1]
    if not text.strip() or len(text) > 400:
        return ""
    return f"{line:6} | {text}\n       | {' ' * (column - 1)}^\n"


def quoted(name, source, messages):
    lines = messages.splitlines(keepends=True) + [""]
    return "".join(line + ("" if re.match(r" *\d+ \|", after) else quotation(name, source, line))
                   for line, after in zip(lines, lines[1:]))


def unquoted(name, source, messages):
    for line in messages.splitlines(keepends=True):
        messages = messages.replace(line + quotation(name, source, line), line)
    return messages


def abridged(name, source, messages):
    """Of very many messages the first and the last ones."""
    lines = unquoted(name, source, messages).splitlines(keepends=True)
    if len(lines) > 40:
        lines[3:-3] = [f"and {len(lines) - 6} more lines\n"]
    return quoted(name, source, "".join(lines))


def cases_read():
    """Profile and messages by name; a made case has only the line that names it."""
    with open(CASES, encoding="utf-8") as file:
        _, *cases = re.split(r"^(?=# (?:case|file): )", file.read(), flags=re.MULTILINE)
    for case in cases:
        lines = case.splitlines(keepends=True)
        name = lines[0].split()[-1]
        source = "".join(line for line in lines if not line.startswith("> "))
        messages = "".join(line[2:] for line in lines if line.startswith("> "))
        expected[name] = [source, quoted(name, source, messages)]


def cases_write():
    with open(CASES, "w", encoding="utf-8") as out:
        out.write("# SPDX-License-Identifier: BSD-3-Clause\n")
        for name, (source, text) in expected.items():
            out.write(source + "".join(f"> {line}\n" for line in unquoted(name, source, text).splitlines()))


class Golden(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        os.symlink(os.path.join(HERE, "lib"), os.path.join(cls.folder, "lib"))
        for name, (source, _) in expected.items():
            if name not in MADE:
                write(cls.folder, name, whole(name, source))

    def compare(self, name, code, text, expected_code):
        self.assertEqual(code, expected_code, text)
        if update:
            expected[name][1] = text
            return
        diff = difflib.unified_diff(expected[name][1].splitlines(), text.splitlines(), "expected", "ddpctl",
                                    lineterm="")
        self.assertEqual(expected[name][1], text, "\n" + "\n".join(diff) + "\n\nIf the new text is right: "
                         f"{os.path.abspath(__file__)} {ddpctl} --update {name}")

    def broken(self, name):
        source = expected[name][0]
        code, text = check(self.folder, directive(source, "check", name + ".yaml"))
        self.compare(name, code, text, int(directive(source, "exit", 1)))

    def made(self, name):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(HERE, "lib"), os.path.join(folder, "lib"))
            write(folder, name, MADE[name](name))
            if MADE[name] == too_many_profiles:
                for i in range(1, 65):
                    write(folder, f"p{i}", f"profile: p{i}\nrequires: [p{i + 1}]\n")
            code, text = check(folder, name + ".yaml")
        self.compare(name, code, abridged(name, expected[name][0], text), 1)

    def test_every_case_has_a_profile_and_messages(self):
        for name, (source, text) in expected.items():
            self.assertEqual(name in MADE, source.count("\n") == 1, name)
            self.assertNotEqual(text, "", name)
        self.assertLessEqual(set(MADE), set(expected))


def add_tests():
    for name in expected:
        case = Golden.made if name in MADE else Golden.broken
        setattr(Golden, "test_" + name, lambda self, name=name, case=case: case(self, name))


def main():
    global ddpctl, update
    arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
    update = len(arguments) < len(sys.argv) - 1
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    ddpctl = os.path.abspath(arguments[0])
    cases_read()
    add_tests()
    done = unittest.main(argv=sys.argv[:1] + ["Golden.test_" + name for name in arguments[1:]], exit=False)
    if update:
        cases_write()
    return 0 if done.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
