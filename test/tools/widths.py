# SPDX-License-Identifier: BSD-3-Clause
"""Does every text of a picture end before the picture does? Widths are estimated from those of Helvetica.

widths.py FILE.svg
"""
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
NARROW, WIDE = " ijlt.,;:!|()[]'/fI", "mwMW%@"


def characters(text):
    """Width in ems: letters and digits 0.556 or less, capitals up to 0.78."""
    return sum(0.28 if c in NARROW else 0.86 if c in WIDE else 0.69 if c.isupper() else
               1 if ord(c) >= 0x800 else 0.53 for c in text)


def check(element, size, anchor, font, width):
    size = float(element.get("font-size", size))
    anchor = element.get("text-anchor", anchor)
    font = element.get("font-family", font)
    if element.tag == SVG + "text":
        ems = 0.6 * len(element.text) if font == "monospace" else characters(element.text)
        ems *= 1.07 if element.get("font-weight") == "bold" else 1
        x = float(element.get("x"))
        left = x - ems * size * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        right = left + ems * size
        assert left >= -1 and right <= width, "from %g to %g of %g: %s" % (left, right, width, element.text)
    for child in element:
        check(child, size, anchor, font, width)


root = ElementTree.parse(sys.argv[1]).getroot()
check(root, 0, "start", "sans", float(root.get("width")))
