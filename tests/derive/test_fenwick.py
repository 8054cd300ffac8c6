"""The sums that turn rows of the screen into steps: right after any change."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.derive.fenwick import FenwickTree

NUMBERS = st.lists(st.integers(0, 50), max_size=70)


@given(NUMBERS)
def test_every_beginning_adds_up(numbers: list[int]) -> None:
    sums = FenwickTree(numbers)
    assert [sums.before(end) for end in range(len(numbers) + 1)] == [
        sum(numbers[:end]) for end in range(len(numbers) + 1)
    ]
    assert (len(sums), sums.total) == (len(numbers), sum(numbers))


@given(NUMBERS, st.data())
def test_changes_additions_and_removals_keep_the_sums(
    numbers: list[int], data: st.DataObject
) -> None:
    sums = FenwickTree(numbers)
    for _ in range(data.draw(st.integers(0, 12))):
        what = data.draw(st.sampled_from(["add", "append", "pop"]))
        if what == "append":
            value = data.draw(st.integers(0, 9))
            numbers.append(value)
            sums.append(value)
        elif numbers and what == "add":
            index = data.draw(st.integers(0, len(numbers) - 1))
            numbers[index] += 3
            sums.add(index, 3)
        elif numbers:
            numbers.pop()
            sums.pop()
    assert [sums.before(end) for end in range(len(numbers) + 1)] == [
        sum(numbers[:end]) for end in range(len(numbers) + 1)
    ]
    assert sums.total == sum(numbers)


@given(NUMBERS)
def test_every_offset_is_found_in_its_item(numbers: list[int]) -> None:
    sums = FenwickTree(numbers)
    expected = [
        (item, inside) for item, number in enumerate(numbers) for inside in range(number + 1)
    ]
    assert [sums.find(offset) for offset in range(len(expected))] == expected


def test_zeros_are_a_row_without_lengths() -> None:
    sums = FenwickTree.zeros(1000)
    sums.add(500, 7)
    assert sums.find(507) == (500, 7)
    assert sums.find(508) == (501, 0)
    assert sums.total == 7
