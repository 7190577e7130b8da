"""Every administrative operation, each an `async def` over a Core that either driver can run.

An operation on several things gives an outcome for each (penstock.client.Outcomes). Where a part of the broker's answer
says all there is to say, it is handed on as it came: a struct of penstock.wire.messages.
"""
