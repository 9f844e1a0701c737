# SPDX-License-Identifier: BSD-3-Clause
"""Reads a picture of dame draw back: prints what each row of a panel shows.

cells.py FILE.svg [PANEL]      PANEL 0 is the memory, 1 the magnified part

A line for each row of cells: a letter for each cell, in the order of its colour from dark (a) to light, '.' for
an empty one. A capital letter is hatched: sent more than once. A digit behind a letter: that many eighths of
the cell are filled. "|" ends the row and is followed by the address beside it, if there is one. A break is "~" and
its text. Knows how SVG places strokes, nothing of how the program chose them.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def luminance(colour):
    red, green, blue = (int(colour[i:i + 2], 16) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def numbers(text):
    return [float(n) for n in re.findall(r"-?[0-9.]+", text)]


def read(path, which):
    root = ElementTree.parse(path).getroot()
    children = list(root)
    starts = [i for i, e in enumerate(children) if e.get("shape-rendering") == "crispEdges"]
    panel = children[starts[which]]
    rest = children[starts[which] + 1:(starts + [len(children)])[which + 1]]
    ground = panel.find(SVG + "path")
    left, top = numbers(ground.get("d"))[:2]
    columns = rows = 0
    cells = {}
    for group in panel.findall(SVG + "g"):
        width, _, _, height, x, y = numbers(group.get("transform"))
        stroke = float(group.get("stroke-width"))
        assert x == left
        # the strokes of a row end at its bottom, whatever their width
        assert abs(y + stroke * height / 2 - (top + height)) < 0.01, (y, stroke, height, top)
        for path_ in group.findall(SVG + "path"):
            for column, row, n in re.findall(r"M(\d+) (\d+)h(\d+)", path_.get("d")):
                for c in range(int(column), int(column) + int(n)):
                    if group.get("stroke-opacity") is None:
                        assert (int(row), c) not in cells, "two cells in one place"
                        cells[int(row), c] = (path_.get("stroke"), stroke)
    for x, y, w, h in re.findall(r"M(\S+) (\S+)h(\S+?)v(\S+?)h", ground.get("d")):
        columns = round(float(w) / width)
        rows = max(rows, round((float(y) + float(h) - top) / height))
    twice = set()
    labels = {}
    breaks = {}
    for element in rest:
        if element.get("fill") == "url(#dame-twice)" and element.tag == SVG + "path":
            for x, y, w in re.findall(r"M(\S+) (\S+)h(\S+?)v", element.get("d")):
                for c in range(round(float(w) / width)):
                    twice.add((round((float(y) - top) / height), round((float(x) - left) / width) + c))
        if element.tag == SVG + "g" and element.get("text-anchor") == "end":
            for text in element:
                labels[int((float(text.get("y")) - 4 - top) / height)] = text.text
        if element.tag == SVG + "text" and element.get("font-style") == "italic":
            breaks[int((float(element.get("y")) - 4 - top) / height)] = element.text
    ranks = sorted({colour for colour, _ in cells.values()}, key=luminance)
    assert len(ranks) <= 26
    seen = set()
    for row in range(rows):
        if row in breaks:
            print("~ " + breaks[row])
            continue
        line = ""
        for column in range(columns):
            if (row, column) not in cells:
                line += "."
                continue
            colour, stroke = cells[row, column]
            letter = chr(ord("a") + ranks.index(colour))
            line += letter.upper() if (row, column) in twice else letter
            line += "" if stroke == 1 else str(round(stroke * 8))
            seen.add((row, column))
        if line.strip(".") or row in labels:
            print(line + "| " + labels.get(row, ""))
    assert seen == set(cells) and twice <= seen, "cells beside the rows"


read(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
