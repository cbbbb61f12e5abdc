import numpy as np
import pytest

from tabgrad.data import RandomSampler, SequentialSampler
from tabgrad.errors import TabgradError
from tabgrad.random import Generator


def test_random_sampler_visits_each_position_once_per_epoch():
    sampler = RandomSampler(range(101), generator=Generator(3))
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(101))
    assert first != second


def test_random_sampler_order_is_the_same_everywhere():
    # fixed values: a change here changes every user's runs
    assert list(RandomSampler(range(8), generator=Generator(0))) == [3, 6, 7, 5, 0, 4, 1, 2]


def test_random_sampler_orders_differ_between_seeds():
    orders = {tuple(RandomSampler(range(20), generator=Generator(seed))) for seed in range(50)}
    assert len(orders) == 50


def test_random_sampler_places_are_uniform():
    counts = np.zeros((6, 6))
    for seed in range(3000):
        order = RandomSampler(range(6), generator=Generator(seed)).next_order()
        counts[np.arange(6), order] += 1
    assert np.abs(counts / 500 - 1).max() < 0.2  # 500 expected, standard deviation 20: 5 of them


def test_random_sampler_continues_from_its_state():
    sampler = RandomSampler(range(50), generator=Generator(1))
    list(sampler)
    state = sampler.state_dict()
    expected = [list(sampler), list(sampler)]
    resumed = RandomSampler(range(50), generator=Generator(99))
    resumed.load_state_dict(state)
    assert [list(resumed), list(resumed)] == expected


def test_random_sampler_with_replacement_draws_any_number():
    order = RandomSampler(range(5), replacement=True, num_samples=1000, generator=Generator(0)).next_order()
    assert order.shape == (1000,)
    assert set(order.tolist()) == {0, 1, 2, 3, 4}


def test_random_sampler_without_replacement_goes_through_the_data_again():
    sampler = RandomSampler(range(9), num_samples=21, generator=Generator(3))
    once = RandomSampler(range(9), generator=Generator(3))
    epochs, orders = [list(sampler) for _ in range(3)], [list(once) for _ in range(3)]
    assert [e[:9] for e in epochs] == orders
    assert all(sorted(e[:9]) == sorted(e[9:18]) == list(range(9)) and len({*e[18:]}) == 3 for e in epochs)
    parts = [tuple(e[start : start + 9]) for e in epochs for start in (0, 9)]
    assert len(set(parts)) == len(parts)
    with pytest.raises(TabgradError, match="expected num_samples of at least 1, got -1"):
        RandomSampler(range(5), num_samples=-1)


def test_sequential_sampler_counts():
    assert list(SequentialSampler("abc")) == [0, 1, 2]
    with pytest.raises(TabgradError, match="another sampler's"):
        SequentialSampler("abc").load_state_dict({"seed": 1})
