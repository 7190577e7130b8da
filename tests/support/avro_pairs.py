"""Avro schemas by chance, and what became of them: pairs that differ in one or a few places."""

import copy
import json
import random
from typing import Any

PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
NAMES = ("A", "B", "C", "D", "E", "a.A", "a.B", "b.A", "x.y.C", "int.D", "record", "Ünter")
FIELDS = ("f", "g", "h", "i", "j", "zähler")
SYMBOLS = ("RED", "GREEN", "BLUE", "X_1")
DEFAULTS: dict[str, list[Any]] = {
    "null": [None], "boolean": [True, False], "int": [0, -5, 2**31 - 1], "long": [7, 2**40], "float": [1.5, 3, "2.5"],
    "double": [0.25, 1, "NaN?"], "bytes": ["", "\u00ff"], "string": ["", "ä\"\\/\n", "x"],
}  # fmt: skip


class Maker:
    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.defined: list[str] = []

    def chance(self, share: float) -> bool:
        return self.dice.random() < share

    def type(self, depth: int = 0) -> Any:
        kinds = ["primitive"] * 4 + ["known"] * 2
        if depth < 4:
            kinds += ["record", "record", "enum", "fixed", "array", "map", "union", "union"]
        kind = self.dice.choice(kinds)
        if kind == "known" and self.defined:
            return self.dice.choice(self.defined)
        if kind in {"primitive", "known"}:
            name = self.dice.choice(PRIMITIVES)
            if self.chance(0.15):
                return {"type": name} | self.props()
            return name
        if kind in {"array", "map"}:
            return {"type": kind, "items" if kind == "array" else "values": self.type(depth + 1)} | self.props()
        if kind == "union":
            return [self.type(depth + 1) for _ in range(self.dice.randint(0, 4))]
        return self.named(kind, depth)

    def named(self, kind: str, depth: int) -> Any:
        name = self.dice.choice(NAMES)
        schema: dict[str, Any] = {"type": kind, "name": name}
        if self.chance(0.3):
            schema["namespace"] = self.dice.choice(("", "a", "x.y", "deep.er"))
        if self.chance(0.15):
            schema["doc"] = 'what it "is" — \t\u20ac'
        if self.chance(0.15):
            schema["aliases"] = self.dice.sample(("A", "B", "a.B", "old.C", "C"), self.dice.randint(0, 2))
        if self.chance(0.2):
            schema |= self.props()
        self.defined.append(
            self.dice.choice((name, name, name.rpartition(".")[2], f"{schema.get('namespace', '')}.{name}"))
        )
        if kind == "enum":
            schema["symbols"] = self.dice.sample(SYMBOLS, self.dice.randint(0, 4))
            if self.chance(0.4):
                schema["default"] = self.dice.choice(SYMBOLS)
        elif kind == "fixed":
            schema["size"] = self.dice.choice((0, 1, 4, 16))
        else:
            names = self.dice.sample(FIELDS, self.dice.randint(0, 4))
            schema["fields"] = [self.field(name, depth) for name in names]
        return schema

    def field(self, name: str, depth: int) -> Any:
        field: dict[str, Any] = {"name": name, "type": self.type(depth + 1)}
        if self.chance(0.5):
            field["default"] = self.default(field["type"])
        if self.chance(0.1):
            field["doc"] = "a field"
        if self.chance(0.1):
            field["order"] = self.dice.choice(("ascending", "descending", "ignore", "IGNORE"))
        if self.chance(0.15):
            field["aliases"] = self.dice.sample(FIELDS, self.dice.randint(1, 2))
        if self.chance(0.1):
            field |= self.props()
        return field

    def default(self, kind: Any) -> Any:
        if self.chance(0.1):
            return self.dice.choice((None, 1, "x", [], {}, 1.5, True))
        if isinstance(kind, list):
            return self.default(self.dice.choice(kind)) if kind else None
        if isinstance(kind, str):
            return self.dice.choice(DEFAULTS.get(kind, ["RED"]))
        name = kind["type"]
        if name == "enum":
            return self.dice.choice(SYMBOLS)
        if name == "array":
            return [self.default(kind["items"]) for _ in range(self.dice.randint(0, 2))]
        if name == "map":
            return {"k": self.default(kind["values"])}
        if name == "record":
            return {each["name"]: self.default(each["type"]) for each in kind["fields"] if self.chance(0.8)}
        return self.dice.choice(DEFAULTS.get(name, ["xy"]))

    def props(self) -> dict[str, Any]:
        pool = {"logicalType": "date", "z": 1, "a": {"k": [1, None]}, "precision": 4, "doc2": "t"}
        return {key: pool[key] for key in self.dice.sample(sorted(pool), self.dice.randint(0, 2))}

    def mutated(self, schema: Any) -> Any:
        """A copy with a few places changed."""
        holder = [copy.deepcopy(schema)]
        for _ in range(self.dice.choice((1, 1, 1, 2, 3))):
            places = list(_places(holder))
            container, key = self.dice.choice(places)
            container[key] = self.changed(container[key])
        return holder[0]

    def changed(self, schema: Any) -> Any:
        if self.chance(0.15):
            return self.type(2)
        if isinstance(schema, str):
            return self.dice.choice((*PRIMITIVES, ["null", schema], [schema]))
        if isinstance(schema, list):
            changed = list(schema)
            if changed and self.chance(0.4):
                changed.pop(self.dice.randrange(len(changed)))
            elif self.chance(0.4):
                self.dice.shuffle(changed)
            else:
                changed.insert(self.dice.randint(0, len(changed)), self.type(3))
            return changed
        if schema["type"] == "record":
            self.change_fields(schema)
        elif schema["type"] == "enum":
            schema["symbols"] = self.dice.sample(SYMBOLS, self.dice.randint(1, 4))
        elif schema["type"] == "fixed":
            schema["size"] = self.dice.choice((1, 4, 16))
        if "name" in schema and self.chance(0.3):
            if self.chance(0.5):
                schema["aliases"] = [schema["name"], "old.C"]
            schema["name"] = self.dice.choice(NAMES)
        return schema

    def change_fields(self, schema: Any) -> None:
        fields = schema["fields"]
        free = [name for name in FIELDS if all(name != each["name"] for each in fields)]
        if fields and self.chance(0.4):
            fields.pop(self.dice.randrange(len(fields)))
        elif fields and self.chance(0.4):
            field = self.dice.choice(fields)
            former, field["name"] = field["name"], self.dice.choice(FIELDS)
            if self.chance(0.6):
                field["aliases"] = [former]
        elif free:
            fields.append(self.field(self.dice.choice(free), 3))


def _places(container: Any) -> Any:
    """Where a type stands in what was made, the containers first."""
    keys = range(len(container)) if isinstance(container, list) else container
    for key in list(keys):
        if isinstance(container, dict) and key not in {"items", "values", "type"}:
            if key == "fields":
                for field in container[key]:
                    yield from _places(field)
            continue
        if isinstance(container, dict) and key == "type" and "name" in container and "symbols" in container:
            continue
        if (
            isinstance(container, dict)
            and key == "type"
            and container[key] in ("record", "enum", "fixed", "array", "map")
        ):
            continue
        yield container, key
        if isinstance(container[key], (list, dict)):
            yield from _places(container[key])


def pairs(count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Texts of two schemas each. Some are no schemas."""
    made = []
    for index in range(count):
        maker = Maker(seed * 1_000_003 + index)
        first = maker.named("record", 0) if maker.chance(0.6) else maker.type()
        second = maker.mutated(first) if maker.chance(0.85) else maker.type()
        texts = [json.dumps(each, ensure_ascii=maker.chance(0.5)) for each in (first, second)]
        maker.dice.shuffle(texts)
        made.append((texts[0], texts[1]))
    return made
