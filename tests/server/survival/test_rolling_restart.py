"""Two hosts behind nginx are restarted one after the other while people work."""

from __future__ import annotations

import copy

import pytest
from server.proxy import NGINX, nginx
from server.survival.clients import Crowd
from server.survival.scenes import nothing_lost, scene


def work_on(crowd: Crowd) -> None:
    """Wait until some more submissions are acknowledged."""
    before = len(crowd.record.submissions)
    crowd.wait_until(lambda: len(crowd.record.submissions) > before + 5)


@pytest.mark.skipif(NGINX is None, reason="no nginx: install Debian's package nginx-light")
def test_a_rolling_restart_loses_nothing_on_postgresql(make_live, new_database, tmp_path):
    """All that was acknowledged is stored once; what was under way is finished or sent again."""
    words = ["--workers", "1", "--drain", "0.5", "--database", new_database()]
    hosts = [make_live(*words, GECBENCH_RATE_LIMITS="0")]
    hosts.append(make_live(*words, "--no-migrate", GECBENCH_RATE_LIMITS="0"))
    annotators, _ = scene(hosts[0], 300, annotators=6, needed=2)
    (tmp_path / "nginx").mkdir()
    with nginx(tmp_path / "nginx", [f"127.0.0.1:{host.port}" for host in hosts]) as port:
        site = copy.copy(hosts[0])
        site.port = port
        crowd = Crowd(site)
        with crowd.working(annotators):
            for host in hosts:
                work_on(crowd)
                assert host.terminate() == 0
                work_on(crowd)  # on the other host alone
                host.start()
            work_on(crowd)
    assert crowd.record.submissions
    nothing_lost(hosts[0], crowd.record)
