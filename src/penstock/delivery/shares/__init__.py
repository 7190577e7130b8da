"""Share groups at the leader of a data partition (KIP-932): which of its records are with whom.

`machine.py` decides for one partition and group. `ShareDelivery` (service.py) has all of them and the sessions of
members; a `ShareFetch` is one request for records, answered or waiting.
"""
