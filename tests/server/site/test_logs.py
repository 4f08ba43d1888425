"""Lines of the log, for people and for programs."""

from __future__ import annotations

import json
import logging
import sys

from gecbench.server.site.serving import JsonLine, TextLine


def record(message="GET /work %d", *args, failed=False, **known):
    info = None
    if failed:
        try:
            raise ValueError("no")
        except ValueError:
            info = sys.exc_info()
    log_record = logging.LogRecord("gecbench.requests", logging.INFO, "f", 1, message, args, info)
    log_record.created = 0.25
    for name, value in known.items():
        setattr(log_record, name, value)
    return log_record


def test_a_line_for_people_names_the_person_and_the_request():
    line = TextLine().format(record("GET /work %d", 200, person=3, request="ab"))
    start = "1970-01-01T00:00:00.250+00:00 INFO gecbench.requests"
    assert line == f"{start} GET /work 200 person=3 request=ab"


def test_a_traceback_follows_its_line():
    first, *rest = TextLine().format(record("broken", failed=True, request="ab")).splitlines()
    assert first.endswith("broken request=ab")
    assert rest[-1] == "ValueError: no"


def test_a_request_object_of_others_is_no_id():
    assert "request=" not in TextLine().format(record("x", request=object()))


def test_a_line_for_programs_is_one_object():
    data = json.loads(JsonLine().format(record("好 %d", 1, status=200, request="ab", failed=True)))
    assert data["message"] == "好 1"
    assert (data["status"], data["request"], data["level"]) == (200, "ab", "INFO")
    assert data["traceback"].endswith("ValueError: no")
    assert "traceback" not in json.loads(JsonLine().format(record("x", request=object())))
