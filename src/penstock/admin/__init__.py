"""HTTP about the broker: /health, /ready, /metrics; and readiness for systemd."""

from penstock.admin.http import HttpServer, Page, Request, Response
from penstock.admin.pages import FolderTrouble, Health, HealthFacts, LogTrouble, pages
from penstock.admin.systemd import READY, STOPPING, notify

__all__ = [
    "READY",
    "STOPPING",
    "FolderTrouble",
    "Health",
    "HealthFacts",
    "HttpServer",
    "LogTrouble",
    "Page",
    "Request",
    "Response",
    "notify",
    "pages",
]
