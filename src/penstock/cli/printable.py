"""Text for a terminal: nothing in it moves the cursor, colours what follows or begins a line of its own. Clients choose
names of groups, client ids, users and more, and an administrator looks at them.
"""


def printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def printable_lines(text: str) -> str:
    """What has lines of our own."""
    return "\n".join(printable(line) for line in text.split("\n"))
