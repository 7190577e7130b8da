"""A consumer group on a stage: the real machine of its coordinator, and members that speak one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.groups import UNANSWERED, GroupWorld
from tests.support.scenarios import Play, act

from penstock.errors import Refusal, error_name
from penstock.wire.messages.join_group_response import JoinGroupResponse
from penstock.wire.messages.leave_group_request import MemberIdentity

_SESSION_MS = 10_000
_BEFORE_MEMBER_IDS_WERE_ASKED_FOR = 3


class GroupPlay(Play):
    def __init__(self) -> None:
        super().__init__()
        self.world = GroupWorld()
        self.ids: dict[str, str] = {}
        """Member ids by the names that the script gives to members; a member that was replaced is "former A"."""
        self.generations: dict[str, int] = {}
        self.instances: dict[str, str] = {}
        self.waiting: dict[int, str] = {}

    def view(self) -> Mapping[str, str]:
        if self.world.group_id not in self.world.machine.tables.groups:
            return {}
        group = self.world.group
        return {"group": f"{self.world.state}, generation {group.generation}" if group.generation else self.world.state}

    # The script -------------------------------------------------------------------------------------------------

    @act(r"group of a topic with four partitions")
    def _begin(self) -> None:
        pass

    @act(r"(\w) joins")
    def _join(self, name: str) -> None:
        version = _BEFORE_MEMBER_IDS_WERE_ASKED_FOR
        member_id = self.ids.get(name, "")
        self._asked(name, self.world.join(member_id, version=version, session_ms=_SESSION_MS))

    @act(r"(\w) joins as instance (\w+)")
    def _join_as_instance(self, name: str, instance: str) -> None:
        if name in self.ids:
            self.ids[f"former {name}"] = self.ids.pop(name)
            self.generations[f"former {name}"] = self.generations[name]
            self.instances[f"former {name}"] = self.instances[name]
        self.instances[name] = instance
        self._asked(name, self.world.join(instance=instance, session_ms=_SESSION_MS))

    @act(r"(\w) syncs")
    def _sync(self, name: str) -> None:
        self._asked(name, self.world.sync(self.ids[name], self.generations[name]))

    @act(r"(\w) shares out ([\w,: ]+)")
    def _share_out(self, name: str, shares: str) -> None:
        given = dict(share.strip().split(" ", 1) for share in shares.split(","))
        shared = {self.ids[member]: share.encode() for member, share in given.items()}
        self._asked(name, self.world.sync(self.ids[name], self.generations[name], shared))

    @act(r"((?:former )?\w) heartbeats")
    def _heartbeat(self, name: str) -> None:
        answer = self.world.heartbeat(self.ids[name], self.generations[name], self.instances.get(name))
        self._tell_code(name, answer)

    @act(r"((?:former )?\w) commits (\d+)")
    def _commit(self, name: str, offset: str) -> None:
        answer = self.world.commit(
            int(offset),
            generation_id_or_member_epoch=self.generations[name],
            member_id=self.ids[name],
            group_instance_id=self.instances.get(name),
        )
        self._tell_code(name, answer)
        self.tell(f"committed: {self.world.committed()}")

    @act(r"(\w) leaves")
    def _leave(self, name: str) -> None:
        self._tell_code(name, self.world.leave(MemberIdentity(self.ids[name])))
        self._tell_answers()

    @act(r"(\d+) seconds pass")
    def _pass_time(self, seconds: str) -> None:
        self.world.pass_time(int(seconds) * 1_000)
        self._tell_answers()

    @act(r"another broker becomes the coordinator")
    def _move(self) -> None:
        self.world.restart()
        self.waiting.clear()

    # What comes back --------------------------------------------------------------------------------------------

    def _asked(self, name: str, address: int) -> None:
        self.waiting[address] = name
        self._tell_answers()
        if address in self.waiting:
            self.tell(f"{name} waits for an answer")

    def _tell_answers(self) -> None:
        answers = [(name, address, self.world.reply(address)) for address, name in self.waiting.items()]
        answers = [each for each in answers if each[2] is not UNANSWERED]
        for name, address, answer in answers:
            del self.waiting[address]
            if isinstance(answer, JoinGroupResponse) and not answer.error_code:
                self.ids[name], self.generations[name] = answer.member_id, answer.generation_id
        for name, _, answer in answers:
            self._tell_answer(name, answer)

    def _tell_answer(self, name: str, answer: Any) -> None:
        if isinstance(answer, Refusal) or answer.error_code:
            self._tell_code(name, answer)
        elif isinstance(answer, JoinGroupResponse):
            lead = ""
            if answer.members:
                names = {member_id: name for name, member_id in self.ids.items()}
                lead = (
                    f", and shares out among {', '.join(sorted(names[member.member_id] for member in answer.members))}"
                )
            self.tell(f"{name} is in generation {answer.generation_id}{lead}")
        else:
            self.tell(f"{name} gets {answer.assignment.decode() or 'nothing'}")

    def _tell_code(self, name: str, answer: Any) -> None:
        code = answer.code if isinstance(answer, Refusal) else getattr(answer, "error_code", answer)
        self.tell(f"{name} is told {error_name(code or 0)}")
