"""The schema registry: schemas by subject and version, as Confluent's registry keeps and serves them.

A request is understood by `plan`, and carried out by a `Registry` with the client of whoever asks.
"""

from penstock.registry.api import Asked, Plan, Raw, Reads, Writes, plan
from penstock.registry.refusals import RegistryRefusal
from penstock.registry.store import Registry

__all__ = ["Asked", "Plan", "Raw", "Reads", "Registry", "RegistryRefusal", "Writes", "plan"]
