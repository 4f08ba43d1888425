"""What the compiled alignment kernel refuses."""

from __future__ import annotations

import pytest

from gecbench.lang.en import alignment
from gecbench.lang.en.alignment import Step


@pytest.mark.parametrize(
    "arguments",
    [
        (int, (), (), None, None),  # no class of tuples
        (Step, ("a",), ("b",), ((), (), ()), (("b",), ("b",), ("X",))),
        (Step, ("a",), ("b",), (("a",), ("a",), ("X",)), None),
        (Step, ("a",), (1,), None, None),
    ],
)
def test_the_compiled_kernel_refuses_what_does_not_fit(arguments: tuple[object, ...]):
    if alignment.compiled is None:
        pytest.skip("asked of the compiled kernel only")
    with pytest.raises(ValueError, match="not"):
        alignment.compiled.steps(*arguments)
