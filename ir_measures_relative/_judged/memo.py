"""Results that are worked out once for all who ask."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, TypeVar, cast

Value = TypeVar("Value")
Method = TypeVar("Method", bound=Callable[..., Any])


class Memo(dict[Hashable, Any]):
    """Results by what was asked; a key that holds an object keeps it alive.

    >>> memo = Memo()
    >>> memo.once("squares", lambda: [1, 4, 9]) is memo.once("squares", lambda: [])
    True
    """

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The result of ``make``, which is called only if nobody has asked for ``key`` before."""
        if key not in self:
            self[key] = make()
        return cast(Value, self[key])


def once(method: Method) -> Method:
    """A method that is worked out once for equal arguments, in the object's own memo."""

    @wraps(method)
    def kept(self: Any, *arguments: Any) -> Any:
        memo = vars(self).setdefault("memo", Memo())
        return memo.once((method.__name__, *arguments), lambda: method(self, *arguments))

    return cast(Method, kept)
