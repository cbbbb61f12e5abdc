"""The module in a model that trains."""

from unit.nn.test_square import test_square_is_the_product_with_itself

import tabgrad as tg

test_square_is_the_product_with_itself()
model = tg.nn.Sequential(tg.nn.Linear(2, 3), tg.nn.Square(), tg.nn.Linear(3, 1))
model(tg.ones(4, 2)).sum().backward()
assert all(p.grad is not None for p in model.parameters())
assert "Square()" in repr(model)
