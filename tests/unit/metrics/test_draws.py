"""Draws of references: what Python itself draws, and each sentence from its own number."""

from __future__ import annotations

from random import Random

import pytest

from gecbench.metrics.gleu import GENERATORS, draw, draw_for


@pytest.mark.parametrize("references", [2, 3, 4, 5, 7, 8, 9, 100])
@pytest.mark.parametrize("seed", [0, 101, 49899])
def test_python3_draws_what_randint_gives(seed: int, references: int):
    random = Random(seed)
    wanted = [random.randint(0, references - 1) for _ in range(1000)]
    assert draw(seed, 1000, references, "python3").tolist() == wanted


@pytest.mark.parametrize("references", [2, 3, 4, 5, 7, 8, 9, 100])
@pytest.mark.parametrize("seed", [0, 101, 49899])
def test_python2_draws_a_share_of_a_random_fraction(seed: int, references: int):
    random = Random(seed)
    wanted = [int(random.random() * references) for _ in range(1000)]
    assert draw(seed, 1000, references, "python2").tolist() == wanted


def test_python2_fractions_have_all_their_bits():
    random = Random(5)
    wanted = [int(random.random() * 2**52) for _ in range(100)]
    assert draw(5, 100, 2**52, "python2").tolist() == wanted


@pytest.mark.parametrize("generator", GENERATORS)
def test_nothing_is_drawn_for_nobody(generator: str):
    assert draw(0, 0, 3, generator).tolist() == []
    assert draw_for([], 0, generator).tolist() == []


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_sentence_draws_as_if_all_had_its_number(generator: str):
    counts = [1, 4, 2, 3, 3, 1, 4, 2] * 20
    alone = {k: draw(101, len(counts), k, generator) for k in (2, 3, 4)}
    wanted = [0 if k == 1 else int(alone[k][at]) for at, k in enumerate(counts)]
    assert draw_for(counts, 101, generator).tolist() == wanted


@pytest.mark.parametrize("generator", GENERATORS)
def test_where_all_have_one_number_it_is_the_official_draw(generator: str):
    assert draw_for([3] * 50, 7, generator).tolist() == draw(7, 50, 3, generator).tolist()
