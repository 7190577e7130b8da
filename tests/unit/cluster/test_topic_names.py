import pytest

from penstock.cluster import check_topic_name, is_internal, what_is_wrong_with_topic_name
from penstock.errors import InvalidTopic


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "...", "_", "x" * 249, "__consumer_offsets"])
def test_names_that_kafka_allows_are_allowed(name: str) -> None:
    assert what_is_wrong_with_topic_name(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "the empty string is not allowed"),
        (".", "'.' is not allowed"),
        ("..", "'..' is not allowed"),
        ("x" * 250, f"the length of '{'x' * 250}' is longer than the max allowed length 249"),
        ("a b", "'a b' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
        ("ü", "'ü' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
        ("a\n", "'a\n' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
        ("a/b", "'a/b' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
    ],
)
def test_names_that_kafka_refuses_are_refused_in_its_words(name: str, why: str) -> None:
    with pytest.raises(InvalidTopic) as refused:
        check_topic_name(name)
    assert refused.value.message == f"Topic name is invalid: {why}"


def test_the_brokers_own_topics_are_internal() -> None:
    names = ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata", "__other")
    assert [name for name in names if is_internal(name)] == [
        "__consumer_offsets",
        "__transaction_state",
        "__share_group_state",
    ]
