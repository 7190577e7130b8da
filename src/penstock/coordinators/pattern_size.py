"""How large a regular expression grows when its repetitions are written out, found without writing them out.

RE2 matches in time linear in the program it compiles, but a short pattern can compile into a long program: twenty
characters of counted repetitions take a quarter of a second to compile, which no event loop can give away. So the size
is worked out first, in one pass over the text. Whether the pattern is valid is not asked here: RE2 judges that, and a
text it would refuse gets some size or other. What must hold is that no large pattern is taken for a small one.
"""

import re

_TOKEN = re.compile(
    r"""
      (?P<quoted>   \\Q .*? (?: \\E | \Z ) )
    | (?P<unicode>  \\[pP] (?: \{ [^}]{0,40} \} | . )? )
    | (?P<class>    \[ \^? \]? (?: \[: \^? [a-z]{4,6} :\] | \\[pP] \{ [^}]{0,40} \} | \\ . | [^\]\\] )* \]? )
    | (?P<escaped>  \\x \{ [0-9a-fA-F]{1,8} \} | \\ [a-zA-Z0-9] )
    | (?P<open>     \( (?: \? (?: P?< \w* > | [a-zA-Z-]* :? ) )? )
    | (?P<close>    \) )
    | (?P<counted>  \{ (?P<least> \d{1,4} ) (?P<comma> ,)? (?P<most> \d{0,4} ) \} )
    | (?P<repeated> [*+?] )
    | (?P<any>      \. )
    | (?P<literal>  \\? . | \\ )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Every part takes what it looks at, or looks at a few characters only, so the pass over a text is linear."""

_FOLDS_CASE = re.compile(r"\(\?[a-zA-Z]*i")

REPEAT = 2
CLASS = 14
"""A class of characters, as a program over the bytes of UTF-8; half of `\\W` where case is folded."""
UNICODE_CLASS = 800
"""A class as large as all letters of the world."""


def expanded_size(text: str) -> int:
    literal = 2 if _FOLDS_CASE.search(text) else 1
    levels = [0]
    """What is counted so far in each group that is open, the whole pattern first."""
    atom = 0
    """The size of what a repetition that follows would repeat; it is counted in its level already."""
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "open":
                levels.append(literal)
                continue
            case "counted":
                times = max(int(token["least"]), int(token["most"] or 0), 1) + (token["comma"] is not None)
                grown = (atom + REPEAT) * times
                levels[-1] += grown - atom
                atom = grown
                continue
            case "repeated":
                atom += REPEAT
                levels[-1] += REPEAT
                continue
            case "close":
                atom = (levels.pop() if len(levels) > 1 else sum(levels)) + literal
            case "class":
                atom = CLASS + len(token[0]) + UNICODE_CLASS * len(re.findall(r"\\[pP]", token[0]))
            case "unicode":
                atom = UNICODE_CLASS
            case "any" | "escaped":
                atom = CLASS
            case _:
                atom = literal * len(token[0].encode())
        levels[-1] += atom
    return sum(levels)
