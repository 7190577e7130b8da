"""A broker process: connections, dispatch, one handler an API, and the node where the concrete parts meet."""
