#!/usr/bin/python3
"""Facts of a run under dame overlap: facts.py NAME EXPRESSION... prints those that do not hold. NAME.0, NAME.1, ... are the files
of its ranks, NAME.txt the report. Names: r the ranks, each with its lines as {word: [its numbers, ...]}; steps(RANK) all its steps;
calls(NAME, RANK) its calls of MPI_NAME in the steps or, without steps, in the run; text the report; line(FILE, MARK) the line that
has a mark."""
import collections
import os
import re  # pylint: disable=unused-import # for expressions
import sys

CALLS = ["site", "count", "ns", "gap", "tests", "sent", "sent_bytes", "received", "received_bytes"]


def read(path):
    """The calls of the steps replace those of the whole run, which are behind "whole"."""
    rank = collections.defaultdict(list)
    with open(path, encoding="utf-8") as lines:
        for words in map(str.split, lines):
            if words[0] == "steps":
                rank["whole calls"], rank["calls"] = rank["calls"], []
            rank[words[0]].append([int(word) if word.isdigit() else word for word in words[1:]])
    return rank


name = sys.argv[1]
r = [read(f"{name}.{rank}") for rank in range(64) if os.path.exists(f"{name}.{rank}")]
with open(f"{name}.txt", encoding="utf-8") as file:
    text = file.read()


def function(site, rank=0):
    return r[rank]["site"][site][3]


def kind(site, rank=0):
    return ["start", "wait", "collective", "other"][r[rank]["site"][site][1]]


def calls(wanted, rank=0):
    return [dict(zip(CALLS, row), kind=kind(row[0], rank)) for row in r[rank]["calls"] if function(row[0], rank) == "MPI_" + wanted]


def all_calls():
    """MPI calls of all ranks."""
    return sum(row[1] for rank in r for row in rank["whole calls"] or rank["calls"])


def line(path, mark):
    with open(path, encoding="utf-8") as source:
        number = next(i for i, content in enumerate(source, 1) if mark in content)
    return f"{path}:{number}"


def steps(rank=0):
    """All, those that were left out included: how many these are depends on the machine. 0: none was found."""
    return r[rank]["steps"][0][1] + r[rank]["steps"][0][5] if r[rank]["steps"] else 0


def sent(rank=0):
    """Messages and bytes of a step."""
    return [sum(row[column] for row in r[rank]["calls"]) / r[rank]["steps"][0][1] for column in (5, 6)]


def ends_with(place):
    return f"A step ends with {place}.\n" in text


def says(words):
    return words in " ".join(text.split())


wrong = [expression for expression in sys.argv[2:] if not eval(expression)]  # pylint: disable=eval-used
for expression in wrong:
    print(f"{name}: not so: {expression}")
sys.exit(len(wrong) > 0)
