"""Whether the etcd that a cluster keeps its metadata in is well, as far as can be seen from here."""

import json
import urllib.error
import urllib.request

TIMEOUT_S = 2.0
HEALTHY, UNKNOWN = "healthy", "not asked: it wants TLS"


def etcd_health(endpoints: str) -> dict[str, str]:
    """Each endpoint with a word on it."""
    named = [endpoint.strip() for endpoint in endpoints.split(",") if endpoint.strip()]
    return {endpoint: _health(endpoint if "://" in endpoint else f"http://{endpoint}") for endpoint in named}


def _health(url: str) -> str:
    if url.startswith("https:"):
        return UNKNOWN
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url.rstrip("/") + "/health", timeout=TIMEOUT_S) as answer:
            found = json.load(answer)
    except urllib.error.HTTPError as refused:
        with refused:
            return f"unhealthy (HTTP {refused.code})"
    except (OSError, ValueError) as error:
        return f"not reached from here: {getattr(error, 'reason', error)}"
    return HEALTHY if str(found.get("health")).lower() == "true" else f"unhealthy: {found.get('reason', '')}".strip()
