"""Counters in Prometheus' text format, which is small enough to write by hand."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """What the server did; only the event loop writes here."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.statements = 0
        self.questions = 0
        self._buckets: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        self.requests[method, route, status] += 1
        buckets = self._buckets.get(route)
        if buckets is None:
            buckets = self._buckets[route] = [0] * (len(BUCKETS) + 1)
        buckets[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]

    def text(self, memories: int) -> str:
        lines: list[str] = []

        def metric(name: str, kind: str, about: str) -> None:
            lines.extend((f"# HELP {name} {about}", f"# TYPE {name} {kind}"))

        metric("memnn_requests_total", "counter", "Requests by method, route and status.")
        for (method, route, status), n in sorted(self.requests.items()):
            labels = f'method="{method}",route="{route}",status="{status}"'
            lines.append(f"memnn_requests_total{{{labels}}} {n}")
        metric("memnn_request_seconds", "histogram", "Time from request to response, by route.")
        for route, counts in sorted(self._buckets.items()):
            total = 0
            for bound, n in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
                total += n
                bucket = f'route="{route}",le="{bound}"'
                lines.append(f"memnn_request_seconds_bucket{{{bucket}}} {total}")
            lines.append(f'memnn_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'memnn_request_seconds_count{{route="{route}"}} {total}')
        metric("memnn_statements_total", "counter", "Statements told to this server.")
        lines.append(f"memnn_statements_total {self.statements}")
        metric("memnn_questions_total", "counter", "Questions this server answered.")
        lines.append(f"memnn_questions_total {self.questions}")
        metric("memnn_memories", "gauge", "Named memories.")
        lines.append(f"memnn_memories {memories}")
        return "\n".join(lines) + "\n"
