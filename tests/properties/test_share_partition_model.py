"""The machine of a share partition against a model that keeps a cell for each record.

The model knows nothing of ranges and merging: it holds the state of each offset in a dictionary, decides from that
whether an acknowledgement may be taken, and is compared with the machine cell by cell after every command.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.coordinators.shares.states import ShareState, StateBatch
from penstock.delivery.shares.acquiring import BatchSpan, Wanted
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.ranges import ACKNOWLEDGED, ACQUIRED, ARCHIVED, AVAILABLE, DONE, Row, Step
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import ACCEPT, GAP, REJECT, RELEASE, RENEW, Said
from penstock.errors import InvalidRecordState, InvalidRequest

MEMBERS = ("m1", "m2", "m3")
LOCK_S = 10.0
LARGEST = 9
BECOMES = {GAP: ARCHIVED, ACCEPT: ACKNOWLEDGED, RELEASE: AVAILABLE, REJECT: ARCHIVED}


class Cell:
    def __init__(self, state: int = AVAILABLE, count: int = 0) -> None:
        self.state = state
        self.count = count
        self.member = ""
        self.deadline = 0.0
        self.before: tuple[int, str, float] | None = None

    def shown(self) -> tuple[int, int, str, bool]:
        done = self.state in DONE
        return self.state, 0 if done else self.count, "" if done else self.member, self.before is not None


class Model:
    """A machine, the model beside it, a log, and what was written."""

    def __init__(self, rules: ShareRules, log: list[BatchSpan]) -> None:
        self.rules = rules
        self.log = log
        self.now = 0.0
        self.machine = SharePartitionMachine(ShareState(0, 0), start_offset=0)
        self.cells: dict[int, Cell] = {}
        self.steps: list[tuple[Step, dict[int, Cell]]] = []
        self.written: dict[int, tuple[int, int]] = {}
        self.written_start = 0
        self.accepted: set[int] = set()

    # Commands ---------------------------------------------------------------------------------------------------

    def acquire(self, member: str, most: int, batch_size: int, strict: bool, batches: int) -> None:
        asked = self.machine.read_from(self.rules)
        available = [offset for offset, cell in sorted(self.cells.items()) if self.is_free(cell)]
        if asked is None:
            assert not available and self.machine.window.span >= self.rules.locks_max
            return
        if available:
            assert asked == available[0]
        read = [batch for batch in self.log if batch.last >= asked][:batches]
        wanted = Wanted(member, most, batch_size, strict)
        window = self.machine.window
        span, end = window.span, window.end
        until = self.machine.useful_until(asked, wanted, self.rules)
        looked_at = next((place for place, batch in enumerate(read) if batch.last >= until), len(read))
        read = read[: looked_at + 1]
        found = self.machine.acquire(wanted, self.rules, now=self.now, asked_from=asked, batches=read)
        if read:
            # Compaction may have left nothing between what was asked for and what is there.
            for offset in range(asked, min(read[0].first, end)):
                if self.is_free(self.cells[offset]):
                    self.cells[offset].state = ARCHIVED
            if read[0].first > end and self.machine.window.end > read[0].first:
                for offset in range(end, read[0].first):
                    self.cells[offset] = Cell(ARCHIVED)
        gap = max(read[0].first - end, 0) if read else 0
        given = [(offset, row.deliveries) for row in found for offset in range(row.first, row.last + 1)]
        assert len({offset for offset, _ in given}) == len(given)
        for offset, count in given:
            cell = self.cells.setdefault(offset, Cell())
            assert self.is_free(cell), f"{offset} is not free"
            assert count == cell.count + 1
            assert offset < end or span < self.rules.locks_max
            cell.state, cell.count, cell.member, cell.deadline = ACQUIRED, count, member, self.now + LOCK_S
        if strict:
            assert len(given) <= most
        if len(found) > 1:
            last_time = [row for row in found if row.deliveries == self.rules.delivery_limit > 2]
            assert not last_time, "what is tried for the last time is tried alone"
        there = [o for o in available if read and any(batch.first <= o <= batch.last for batch in read)]
        if there or (read and read[-1].last >= end and span < self.rules.locks_max):
            assert given, "there was something to give"
        assert self.machine.window.span <= max(span, self.rules.locks_max + (0 if strict else LARGEST - 1)) + gap
        self.shift()

    def is_free(self, cell: Cell) -> bool:
        return cell.state == AVAILABLE and cell.before is None

    def say(self, member: str, said: list[Said]) -> None:
        expected = self.expected(member, said)
        try:
            step = self.machine.acknowledge(member, said, self.rules, self.now)
        except (InvalidRecordState, InvalidRequest):
            assert not expected
            return
        assert expected
        changed = {}
        for offset, kind in self.each(said):
            if offset < self.machine.start_offset:
                continue
            cell = self.cells[offset]
            if kind == RENEW:
                cell.deadline = self.now + LOCK_S
            else:
                self.begin(cell, BECOMES[kind])
                changed[offset] = cell
        self.steps.append((step, changed))

    def begin(self, cell: Cell, becomes: int) -> None:
        cell.before = (cell.state, cell.member, cell.deadline)
        if becomes == AVAILABLE and cell.count >= self.rules.delivery_limit:
            becomes = ARCHIVED
        cell.state, cell.member = becomes, ""

    def each(self, said: list[Said]) -> list[tuple[int, int]]:
        return [
            (offset, row.types[0] if len(row.types) == 1 else row.types[offset - row.first])
            for row in said
            for offset in range(row.first, row.last + 1)
        ]

    def expected(self, member: str, said: list[Said]) -> bool:
        start, end = self.machine.start_offset, self.machine.window.end
        seen: set[int] = set()
        for row in said:
            if row.last < start:
                continue
            if row.last >= end or not self.cells:
                return False
            for offset, kind in self.each([row]):
                if offset < start:
                    continue
                cell = self.cells[offset]
                if cell.state != ACQUIRED or cell.member != member or offset in seen:
                    return False
                if kind == RENEW and not self.rules.may_renew:
                    return False
                if kind != RENEW:
                    seen.add(offset)
        return True

    def release(self, member: str) -> None:
        step = self.machine.release(member, self.rules, self.now)
        changed = {}
        for offset, cell in self.cells.items():
            if cell.state == ACQUIRED and cell.member == member:
                self.begin(cell, AVAILABLE)
                changed[offset] = cell
        self.steps.append((step, changed))

    def settle(self, which: int, fails: bool) -> None:
        if not self.steps:
            return
        step, changed = self.steps.pop(which % len(self.steps))
        if fails:
            self.machine.undo(step, self.rules, self.now)
            for cell in changed.values():
                if cell.before is not None:
                    state, member, deadline = cell.before
                    cell.before = None
                    if deadline <= self.now:
                        cell.state = ARCHIVED if cell.count >= self.rules.delivery_limit else AVAILABLE
                    else:
                        cell.state, cell.member, cell.deadline = state, member, deadline
        else:
            self.write(step.rows)
            self.machine.commit(step)
            for offset, cell in changed.items():
                cell.before = None
                if cell.state == ACKNOWLEDGED:
                    self.accepted.add(offset)
        self.shift()

    def write(self, rows: list[Row]) -> None:
        self.written_start = max(self.written_start, self.machine.start_offset)
        for first, last, state, count, _until in rows:
            for offset in range(first, last + 1):
                self.written[offset] = (state, count)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        step, count = self.machine.expire(self.rules, self.now)
        self.write(step.rows)
        ended = [c for c in self.cells.values() if c.state == ACQUIRED and c.deadline <= self.now]
        assert len(ended) == count
        for cell in ended:
            cell.state = ARCHIVED if cell.count >= self.rules.delivery_limit else AVAILABLE
            cell.member = ""
        self.shift()

    def log_start(self, offset: int) -> None:
        self.log = [batch for batch in self.log if batch.last >= offset]
        self.machine.log_starts_at(offset)
        for gone in [each for each in self.cells if each < offset]:
            self.cells.pop(gone).before = None
        self.shift()

    def lead_anew(self) -> None:
        """What was written is all that is left; nothing that was accepted may come again."""
        batches = [StateBatch(o, o, *self.written[o]) for o in sorted(self.written) if o >= self.written_start]
        self.machine = SharePartitionMachine(ShareState(0, self.written_start, batches), start_offset=0)
        self.steps.clear()
        end = max([o for o in self.written if o >= self.written_start], default=self.written_start - 1) + 1
        self.cells = {}
        for offset in range(self.written_start, end):
            state, count = self.written.get(offset, (AVAILABLE, 0))
            self.cells[offset] = Cell(state if state in DONE else AVAILABLE, count)
        self.shift()

    # Comparing --------------------------------------------------------------------------------------------------

    def shift(self) -> None:
        """The window's start moves past what is done and written."""
        for offset in sorted(self.cells):
            if self.cells[offset].state not in DONE or self.cells[offset].before is not None:
                break
            del self.cells[offset]

    def compare(self) -> None:
        window = self.machine.window
        cells = {}
        for each in window.ranges:
            done = each.state in DONE
            shown = each.state, 0 if done else each.count, "" if done else each.member, each.step is not None
            cells.update(dict.fromkeys(range(each.first, each.last + 1), shown))
        assert cells == {offset: cell.shown() for offset, cell in self.cells.items()}
        assert sorted(cells) == list(range(window.start, window.end))
        assert window.done == sum(cell.state in DONE for cell in self.cells.values())
        assert window.acquired == sum(cell.state == ACQUIRED for cell in self.cells.values())
        deadlines = [cell.deadline for cell in self.cells.values() if cell.state == ACQUIRED]
        assert not deadlines or window.next_deadline <= min(deadlines)
        for left, right in zip(window.ranges, window.ranges[1:], strict=False):
            assert left.last + 1 == right.first
        free = [offset for offset, cell in self.cells.items() if self.is_free(cell)]
        assert not free or self.machine.read_from(self.rules) == min(free)
        assert not self.accepted & set(free), "accepted, answered, and available"


def logs() -> st.SearchStrategy[list[BatchSpan]]:
    """Batches of some records, now and then with a gap before them."""
    sizes = st.lists(st.tuples(st.integers(1, LARGEST), st.sampled_from((0, 0, 0, 1, 4, 12))), min_size=4, max_size=40)

    def laid_out(pairs: list[tuple[int, int]]) -> list[BatchSpan]:
        spans, at = [], 0
        for size, gap in pairs:
            spans.append(BatchSpan(at + gap, at + gap + size - 1))
            at += gap + size
        return spans

    return sizes.map(laid_out)


members = st.sampled_from(MEMBERS)
commands = st.one_of(
    st.tuples(st.just("acquire"), members, st.integers(1, 30), st.integers(1, 8), st.booleans(), st.integers(1, 6)),
    st.tuples(st.just("say"), members, st.integers(0, 40), st.lists(st.sampled_from((0, 1, 2, 3, 4)), max_size=6)),
    st.tuples(st.just("say own"), members, st.sampled_from((1, 1, 2, 2, 3, 4)), st.integers(1, 12)),
    st.tuples(st.just("release"), members),
    st.tuples(st.just("settle"), st.integers(0, 5), st.sampled_from((False, False, False, True))),
    st.tuples(st.just("wait"), st.sampled_from((1.0, 4.0, 11.0))),
    st.tuples(st.just("log start"), st.integers(0, 12)),
    st.tuples(st.just("lead anew")),
)
rules = st.builds(
    ShareRules,
    lock_ms=st.just(int(LOCK_S * 1000)),
    delivery_limit=st.integers(2, 6),
    locks_max=st.sampled_from((8, 20, 100)),
    may_renew=st.booleans(),
)


def run(model: Model, command: tuple[object, ...]) -> None:
    match command:
        case ("acquire", str(member), int(most), int(batch_size), bool(strict), int(batches)):
            model.acquire(member, most, batch_size, strict, batches)
        case ("say", str(member), int(ahead), list(types)) if types:
            first = max(model.machine.start_offset + ahead - 3, 0)
            model.say(member, [Said(first, first + len(types) - 1, types)])
        case ("say own", str(member), int(kind), int(most)):
            own = [o for o, c in sorted(model.cells.items()) if c.state == ACQUIRED and c.member == member][:most]
            model.say(member, [Said(offset, offset, [kind]) for offset in own])
        case ("release", str(member)):
            model.release(member)
        case ("settle", int(which), bool(fails)):
            model.settle(which, fails)
        case ("wait", float(seconds)):
            model.wait(seconds)
        case ("log start", int(by)):
            model.log_start(model.machine.start_offset + by)
        case ("lead anew",):
            model.lead_anew()
        case _:
            pass


@settings(max_examples=400, deadline=None)
@given(rules, logs(), st.lists(commands, max_size=60))
def test_ranges_are_what_a_cell_for_each_record_would_be(
    given_rules: ShareRules, log: list[BatchSpan], todo: list[tuple[object, ...]]
) -> None:
    model = Model(given_rules, log)
    for command in todo:
        run(model, command)
        model.compare()


@settings(max_examples=150, deadline=None)
@given(rules, logs(), st.lists(commands, max_size=40))
def test_all_work_gets_done_in_the_end(
    given_rules: ShareRules, log: list[BatchSpan], todo: list[tuple[object, ...]]
) -> None:
    """Whatever happened before: a reader that takes and accepts comes to the log's end, and gets nothing twice."""
    model = Model(given_rules, log)
    for command in todo:
        run(model, command)
    while model.steps:
        model.settle(0, False)
    model.wait(LOCK_S + 1)
    got: set[int] = set()
    for _ in range(1000):
        asked = model.machine.read_from(given_rules)
        assert asked is not None, "nobody has anything, and yet there is no room"
        read = [batch for batch in model.log if batch.last >= asked]
        if not read:
            break
        found = model.machine.acquire(Wanted("w", 10), given_rules, now=model.now, asked_from=asked, batches=read)
        offsets = {offset for row in found for offset in range(row.first, row.last + 1)}
        assert not offsets & got
        got |= offsets
        said = [Said(row.first, row.last, [ACCEPT]) for row in found]
        model.machine.commit(model.machine.acknowledge("w", said, given_rules, model.now))
    else:
        pytest.fail("it never came to the end")
    if model.log:
        assert model.machine.start_offset == max(model.log[-1].last + 1, model.machine.window.start)
        assert not model.machine.window.ranges
