"""Work through a queue with penstock.queue.

python examples/work_queue.py [BOOTSTRAP]

Prints each job when it is done, until Ctrl-C. A job `bad ...` is given up, a job `flaky ...` fails the first time.
"""

import sys

from penstock.queue import Reject, SharedRecord, Worker

BOOTSTRAP = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9092"


def work(job: SharedRecord) -> None:
    text = (job.value or b"").decode()
    if text.startswith("bad"):
        raise Reject("nobody can do this")
    if text.startswith("flaky") and job.delivery_count == 1:
        raise TimeoutError("the mail server does not answer")
    sys.stdout.write(f"done {text}\n")  # one piece: the threads write at the same time
    sys.stdout.flush()


if __name__ == "__main__":
    Worker(BOOTSTRAP, group="workers", topics=["jobs"], handler=work, concurrency=8).run()
