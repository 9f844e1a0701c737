#!/usr/bin/python3
"""Facts of a report of dame overlap, as JSON: facts.py FILE EXPRESSION... prints those that do not hold. Names: d the
report, g its groups, calls(NAME) the calls of the first group's MPI_NAME, line(FILE, MARK) the line that has a mark."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    d = json.load(file)
g = d["groups"]


def calls(name):
    return [call for call in g[0]["calls"] if call["call"] == "MPI_" + name]


def line(file, mark):
    with open(file, encoding="utf-8") as text:
        number = next(i for i, content in enumerate(text, 1) if mark in content)
    return f"{file}:{number}"


def steps(group):
    """All, those that were left out included: how many these are depends on the machine."""
    return group["steps"] + group["long_steps"]


def says(text):
    return any(text in note for note in d["notes"])


wrong = [expression for expression in sys.argv[2:] if not eval(expression)]  # pylint: disable=eval-used
for expression in wrong:
    print(f"{sys.argv[1]}: not so: {expression}")
sys.exit(len(wrong) > 0)
