"""`penstock cluster ...`: one file a command. All but `rotate-secret` works with Apache Kafka too."""

from penstock.cli.program import LazyGroup

cluster = LazyGroup(
    "cluster",
    help="See how a cluster is, and move its partitions and leaders. What changes something shows its plan first.",
    commands_at={
        "describe": ("penstock.cli.cluster.describe:describe", "Show brokers, leaders, replicas and what is wrong."),
        "add-broker": ("penstock.cli.cluster.add_broker:add_broker", "Tell how to add a broker: start it."),
        "drain": ("penstock.cli.cluster.drain:drain", "Empty a broker, to replace it or take it away."),
        "forget": ("penstock.cli.cluster.forget:forget", "Free the id of a broker that is gone for good."),
        "rebalance": ("penstock.cli.cluster.rebalance:rebalance", "Even out replicas, bytes and leaders."),
        "balance-leaders": (
            "penstock.cli.cluster.balance_leaders:balance_leaders",
            "Give leadership back to the replicas that should lead.",
        ),
        "rotate-secret": (
            "penstock.cli.cluster.rotate_secret:rotate_secret",
            "Exchange the secret that brokers know each other by.",
        ),
        "reassign": ("penstock.cli.cluster.reassign:reassign", "Move partitions by hand; show or cancel moves."),
    },
)

__all__ = ["cluster"]
