"""Questions about share partitions as they travel between brokers (APIs 83 to 87), and their answers.

All five requests have one shape: a group, its topics, their partitions. One row of `EXCHANGES` says what is particular
to an API: how a question becomes the part of a partition and the other way round, and the same for its answer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from penstock.coordinators.shares import commands
from penstock.coordinators.shares.commands import Question
from penstock.coordinators.shares.progress import Progress
from penstock.coordinators.shares.records import as_wire, from_wire
from penstock.coordinators.shares.states import SharePartitionKey, ShareState, ShareSummary
from penstock.errors import NetworkFailure, Refusal, refusal_for
from penstock.model import TopicId
from penstock.wire.messages import (
    delete_share_group_state_request,
    delete_share_group_state_response,
    initialize_share_group_state_request,
    initialize_share_group_state_response,
    read_share_group_state_request,
    read_share_group_state_response,
    read_share_group_state_summary_request,
    read_share_group_state_summary_response,
    write_share_group_state_request,
    write_share_group_state_response,
)


class Exchange(msgspec.Struct, frozen=True):
    version: int
    """That brokers ask with."""
    request: type[Any]
    topic: type[Any]
    part: Callable[[Any], Any]
    """The part of a request that asks a question."""
    question: Callable[[SharePartitionKey, Any], Question]
    response: type[Any]
    topic_result: type[Any]
    result: type[Any]
    """Of a partition, made of its number, an error code and an error message; the others say what the answer is."""
    answered: Callable[[Any], Mapping[str, Any]]
    """What an answer says beside these three."""
    answer: Callable[[Any], Any]

    def ask(self, questions: Sequence[Question]) -> Any:
        """One request, of questions about different partitions of one group."""
        topics: dict[bytes, Any] = {}
        for question in questions:
            topic = topics.setdefault(question.key.topic_id, self.topic(question.key.topic_id))
            topic.partitions.append(self.part(question))
        return self.request(questions[0].key.group_id, list(topics.values()))

    def questions(self, request: Any) -> list[Question]:
        """In the order in which the partitions come."""
        return [
            self.question(SharePartitionKey(request.group_id, TopicId(topic.topic_id), part.partition), part)
            for topic in request.topics
            for part in topic.partitions
        ]

    def respond(self, request: Any, outcomes: Iterable[Any]) -> Any:
        """`outcomes` are answers or Refusals, in the order of the questions."""
        given = iter(outcomes)
        return self.response(
            [
                self.topic_result(
                    topic.topic_id, [self._result(part.partition, next(given)) for part in topic.partitions]
                )
                for topic in request.topics
            ]
        )

    def _result(self, partition: int, outcome: Any) -> Any:
        if isinstance(outcome, Refusal):
            return self.result(partition, outcome.code, outcome.message)
        return self.result(partition, **self.answered(outcome))

    def outcomes(self, questions: Sequence[Question], response: Any) -> list[Any]:
        """Answers or Refusals, in the order of the questions that were asked."""
        told = {
            (topic.topic_id, part.partition): self._outcome(part)
            for topic in response.results
            for part in topic.partitions
        }
        return [
            told.get((question.key.topic_id, question.key.partition), NetworkFailure("no word of this partition"))
            for question in questions
        ]

    def _outcome(self, part: Any) -> Any:
        return refusal_for(part.error_code)(part.error_message or "") if part.error_code else self.answer(part)


def _nothing(_outcome: Any) -> Mapping[str, Any]:
    return {}


def _read(state: ShareState) -> Mapping[str, Any]:
    batches = as_wire(state.batches, read_share_group_state_response.StateBatch)
    told = {"state_epoch": state.state_epoch, "start_offset": state.start_offset, "state_batches": batches}
    return told | {"relay": state.relay}


EXCHANGES: Final[Mapping[type[Question], Exchange]] = {
    commands.Initialize: Exchange(
        version=0,
        request=initialize_share_group_state_request.InitializeShareGroupStateRequest,
        topic=initialize_share_group_state_request.InitializeStateData,
        part=lambda asked: initialize_share_group_state_request.PartitionData(
            asked.key.partition, asked.state_epoch, asked.start_offset
        ),
        question=lambda key, part: commands.Initialize(
            key=key, state_epoch=part.state_epoch, start_offset=part.start_offset
        ),
        response=initialize_share_group_state_response.InitializeShareGroupStateResponse,
        topic_result=initialize_share_group_state_response.InitializeStateResult,
        result=initialize_share_group_state_response.PartitionResult,
        answered=_nothing,
        answer=lambda part: None,
    ),
    commands.Read: Exchange(
        version=0,
        request=read_share_group_state_request.ReadShareGroupStateRequest,
        topic=read_share_group_state_request.ReadStateData,
        part=lambda asked: read_share_group_state_request.PartitionData(asked.key.partition, asked.leader_epoch),
        question=lambda key, part: commands.Read(key=key, leader_epoch=part.leader_epoch),
        response=read_share_group_state_response.ReadShareGroupStateResponse,
        topic_result=read_share_group_state_response.ReadStateResult,
        result=read_share_group_state_response.PartitionResult,
        answered=_read,
        answer=lambda part: ShareState(
            part.state_epoch, part.start_offset, from_wire(part.state_batches), bytes(part.relay)
        ),
    ),
    commands.Write: Exchange(
        version=1,
        request=write_share_group_state_request.WriteShareGroupStateRequest,
        topic=write_share_group_state_request.WriteStateData,
        part=lambda asked: write_share_group_state_request.PartitionData(
            asked.key.partition,
            asked.state_epoch,
            asked.leader_epoch,
            asked.progress.start_offset,
            asked.progress.delivery_complete_count,
            as_wire(asked.batches, write_share_group_state_request.StateBatch),
            asked.relay,
        ),
        question=lambda key, part: commands.Write(
            key=key,
            state_epoch=part.state_epoch,
            leader_epoch=part.leader_epoch,
            progress=Progress(part.start_offset, part.delivery_complete_count),
            batches=from_wire(part.state_batches),
            relay=bytes(part.relay),
        ),
        response=write_share_group_state_response.WriteShareGroupStateResponse,
        topic_result=write_share_group_state_response.WriteStateResult,
        result=write_share_group_state_response.PartitionResult,
        answered=_nothing,
        answer=lambda part: None,
    ),
    commands.Delete: Exchange(
        version=0,
        request=delete_share_group_state_request.DeleteShareGroupStateRequest,
        topic=delete_share_group_state_request.DeleteStateData,
        part=lambda asked: delete_share_group_state_request.PartitionData(asked.key.partition),
        question=lambda key, part: commands.Delete(key=key),
        response=delete_share_group_state_response.DeleteShareGroupStateResponse,
        topic_result=delete_share_group_state_response.DeleteStateResult,
        result=delete_share_group_state_response.PartitionResult,
        answered=_nothing,
        answer=lambda part: None,
    ),
    commands.Summarize: Exchange(
        version=1,
        request=read_share_group_state_summary_request.ReadShareGroupStateSummaryRequest,
        topic=read_share_group_state_summary_request.ReadStateSummaryData,
        part=lambda asked: read_share_group_state_summary_request.PartitionData(
            asked.key.partition, asked.leader_epoch
        ),
        question=lambda key, part: commands.Summarize(key=key, leader_epoch=part.leader_epoch),
        response=read_share_group_state_summary_response.ReadShareGroupStateSummaryResponse,
        topic_result=read_share_group_state_summary_response.ReadStateSummaryResult,
        result=read_share_group_state_summary_response.PartitionResult,
        answered=msgspec.structs.asdict,
        answer=lambda part: ShareSummary(
            part.state_epoch, part.leader_epoch, part.start_offset, part.delivery_complete_count
        ),
    ),
}
