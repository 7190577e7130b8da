import pytest

from penstock.cluster import check_topic_name, is_internal, what_is_wrong_with_topic_name
from penstock.errors import InvalidTopic


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "...", "_", "x" * 249, "__consumer_offsets"])
def test_names_that_kafka_allows_are_allowed(name: str) -> None:
    assert what_is_wrong_with_topic_name(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "a topic needs a name"),
        (".", "a topic cannot be named ., which means a folder"),
        ("..", "a topic cannot be named .., which means a folder"),
        ("x" * 250, "a topic's name has at most 249 characters, this one has 250"),
        ("a b", "'a b' cannot name a topic: use only a-z, A-Z, 0-9, dot, underscore and hyphen"),
        ("ü", "'ü' cannot name a topic: use only a-z, A-Z, 0-9, dot, underscore and hyphen"),
        ("a\n", "'a\\n' cannot name a topic: use only a-z, A-Z, 0-9, dot, underscore and hyphen"),
        ("a/b", "'a/b' cannot name a topic: use only a-z, A-Z, 0-9, dot, underscore and hyphen"),
    ],
)
def test_names_that_kafka_refuses_are_refused_in_its_words(name: str, why: str) -> None:
    with pytest.raises(InvalidTopic) as refused:
        check_topic_name(name)
    assert refused.value.message == why


def test_the_brokers_own_topics_are_internal() -> None:
    names = ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata", "__other")
    assert [name for name in names if is_internal(name)] == [
        "__consumer_offsets",
        "__transaction_state",
        "__share_group_state",
    ]
