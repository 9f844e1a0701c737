# SPDX-License-Identifier: BSD-3-Clause
"""What gcov says of a build, added up by room: test/coverage calls this after the tests."""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

# The share of lines that must run, in per cent; none is asked for of the other rooms.
ROOMS = {"dame": 90, "jit": 90, "engine": 90, "opal-glue": 90, "measure": 0, "libdame": 0}


class File:
    """Lines, branches and functions of a source file, whichever objects it was compiled into."""

    def __init__(self):
        self.lines = collections.Counter()
        self.branches = collections.defaultdict(collections.Counter)
        self.function_of = {}

    def add(self, one):
        for line in one["lines"]:
            number = line["line_number"]
            self.lines[number] += line["count"]
            self.function_of[number] = line.get("function_name", "(inlined)")
            for i, branch in enumerate(line["branches"]):
                self.branches[number][i] += branch["count"]

    def missing(self):
        """Numbers of lines that did not run, by function."""
        found = collections.defaultdict(list)
        for number in sorted(self.lines):
            if self.lines[number] == 0:
                found[self.function_of[number]].append(number)
        return found


def room_of(name):
    return name.split("/")[0]


def read(gcov, build, root):
    """All that gcov says of files in ROOMS. An object without counts was not run, its lines count all the same."""
    files = collections.defaultdict(File)
    notes = sorted(str(path) for path in build.rglob("*.gcno"))
    for start in range(0, len(notes), 50):
        printed = subprocess.run(
            [gcov, "--json-format", "--stdout", "--branch-probabilities"] + notes[start : start + 50],
            cwd=build, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
        for text in printed.splitlines():
            if not text.startswith("{"):
                continue
            for one in json.loads(text)["files"]:
                path = (build / one["file"]).resolve()
                if not path.is_relative_to(root):
                    continue
                name = str(path.relative_to(root))
                name = re.sub("^include/dame/", "dame/../include/dame/", name)
                if room_of(name) in ROOMS:
                    files[name].add(one)
    return files


def ranges(numbers):
    """1, 2, 3, 7 as "1-3 7"."""
    found = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def read_known(path):
    """{(file, function): reason}; a function "*" means all of the file."""
    known, reason = {}, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("# "):
            reason = line[2:]
        elif line.strip():
            match = re.fullmatch(r"(\S+\.[ch]):((?: \S+)+)", line)
            if not match or not reason:
                sys.exit(f"{path}:{number}: '{line}' is no \"FILE: FUNCTION...\" behind a reason")
            for function in match[2].split():
                known[match[1], function] = reason
    return known


def print_rooms(files):
    """The table; is each room's share of lines enough?"""
    enough = True
    print(f"{'room':<12}{'lines':>16}{'':>8}{'branches':>18}{'':>8}")
    for room, least in ROOMS.items():
        of_room = [file for name, file in files.items() if room_of(name) == room]
        lines = [count for file in of_room for count in file.lines.values()]
        branches = [count for file in of_room for line in file.branches.values() for count in line.values()]
        if not lines:
            continue
        ran, taken = sum(map(bool, lines)), sum(map(bool, branches))
        share = 100 * ran / len(lines)
        print(f"{room:<12}{f'{ran} of {len(lines)}':>16}{share:>7.1f}%"
              f"{f'{taken} of {len(branches)}':>18}{100 * taken / max(1, len(branches)):>7.1f}%"
              f"{'  less than ' + str(least) + ' %' if share < least else ''}")
        enough &= share >= least
    return enough


def print_unexplained(files, known, root):
    """Functions of the rooms with a limit that have lines which did not run, for no reason that is known; and reasons for
    functions that are no more. That all lines of a function ran is not a mistake: in another run they may not, since it is chance
    which call fails first, or which thread comes first."""
    used, wrong = set(), 0
    for name in sorted(files):
        if not ROOMS[room_of(name)]:
            continue
        for function, numbers in files[name].missing().items():
            reason = next((key for key in ((name, function), (name, "*")) if key in known), None)
            if reason:
                used.add(reason)
                continue
            wrong += 1
            print(f"{name}: {function}() did not run {ranges(numbers)}")
    for name, function in sorted(set(known) - used):
        if (name in files and function in files[name].function_of.values()) or is_there(root / name, function):
            print(f"note: {name}: {function}() ran: test/coverage.known need not explain it")
        else:
            wrong += 1
            print(f"{name}: {function}() is not there: test/coverage.known must not explain it")
    return wrong


def is_there(path, function):
    """Does the file have a function of that name, possibly made by a macro? gcov calls lines without one "(inlined)"."""
    named = rf"\b{re.escape(function)}\(|\({re.escape(function)},"
    return path.exists() and (function in ("*", "(inlined)") or re.search(named, path.read_text()) is not None)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--gcov", "--build", "--root", "--known"):
        parser.add_argument(option, required=True)
    parser.add_argument("--lines")
    options = parser.parse_args()
    root = pathlib.Path(options.root).resolve()
    files = read(options.gcov, pathlib.Path(options.build).resolve(), root)
    if not files:
        sys.exit("gcov found nothing")
    enough = print_rooms(files)
    unexplained = print_unexplained(files, read_known(pathlib.Path(options.known)), root)
    print(f"{unexplained} functions with lines that did not run and are not explained, or that are explained and not there")
    if options.lines:
        for name in sorted(files):
            missing = sorted(number for numbers in files[name].missing().values() for number in numbers)
            if missing and re.search(options.lines, name):
                print(f"{name}: {ranges(missing)}")
    return 0 if enough and not unexplained else 1


if __name__ == "__main__":
    sys.exit(main())
