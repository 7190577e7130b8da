"""Writes the answers of the scenarios anew, as the machines give them now (tests/scenarios); read the diff.

python -m tools.scenarios
"""

from tests.scenarios.test_scenarios import HERE, STAGES
from tests.support.scenarios import play, scenarios


def main() -> None:
    for path in scenarios(HERE):
        written = path.read_text()
        played = play(written, STAGES)
        if played != written:
            path.write_text(played)
            print(f"written anew: tests/scenarios/{path.name}")


if __name__ == "__main__":
    main()
