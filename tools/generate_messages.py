"""Make the modules of penstock.wire.messages and penstock.wire.codecs, in two steps that can be run apart.

    python -m tools.generate_messages extract JAR...   Kafka's jars -> tools/wire/facts.json
    python -m tools.generate_messages generate         tools/wire/facts.json -> the modules

The jars of Kafka 4.3.0 with schemas that we use: kafka-clients, kafka-group-coordinator, kafka-share-coordinator,
kafka-transaction-coordinator, kafka-storage.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from tools.wire.apis import apis_text
from tools.wire.extract import dump, extract
from tools.wire.facts import FACTS, Message, load
from tools.wire.module import MADE_BY, codec_text, structs_text
from tools.wire.unrolled import UNROLLED

ROOT = Path(__file__).resolve().parent.parent
WIRE = ROOT / "src" / "penstock" / "wire"


def generate(wire: Path) -> None:
    """Write the modules under `wire`, and remove those of messages that are gone."""
    messages = load()
    wanted = {"api_table.py": apis_text(messages)}
    for folder, text_of in (("messages", structs_text), ("codecs", _codec_text)):
        wanted |= {
            f"{folder}/{message.module}.py": text_of(message) for message in messages if not message.only_the_api
        }
        (wire / folder).mkdir(parents=True, exist_ok=True)
        for path in (wire / folder).glob("*.py"):
            if f"{folder}/{path.name}" not in wanted and path.read_text().startswith(MADE_BY):
                path.unlink()
    for name, text in wanted.items():
        (wire / name).write_text(text)
    _format([wire / name for name in wanted])


def _codec_text(message: Message) -> str:
    return codec_text(message, unrolled_since=UNROLLED.get(message.name))


def _format(paths: list[Path]) -> None:
    ruff = Path(sys.executable).with_name("ruff")
    settings = ["--quiet", "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    subprocess.run([ruff, "check", "--select", "I", "--fix", *settings, *paths], check=True)
    subprocess.run([ruff, "format", *settings, *paths], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("extract").add_argument("jars", nargs="+", type=Path)
    steps.add_parser("generate")
    arguments = parser.parse_args()
    if arguments.step == "extract":
        FACTS.write_text(dump(extract(arguments.jars)))
    else:
        generate(WIRE)


if __name__ == "__main__":
    main()
