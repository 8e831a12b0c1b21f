"""The short way of ``dyn_core.rnea(model, data, q, v, a)``: machine code looks up what Data holds.

To look in Python whether ``data`` is of the model and what fills it costs 120 ns, more than most
dynamics of an arm. Once there is machine code, :meth:`Quantity.__call__` itself becomes some: with
a model, its Data and arrays it calls what the Data has bound, and with anything else the method as
it is written. Where it finds all that lies in a record of addresses, as for
:mod:`dyn_core.execution.python_entry`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from dyn_core.codegen import cache as kept
from dyn_core.codegen import machine
from dyn_core.codegen.number import pointer
from dyn_core.execution.data import Data
from dyn_core.execution.python_entry import OBJECT_TYPE, MethodDef, load, peek, supported
from dyn_core.quantities import Quantity

SLOTS = ("model", "bound")
"""Of a Data, what a call looks at."""
TYPES = ("data_type", "dict_type")
FUNCTIONS = {
    "look_up": "PyDict_GetItemWithError",
    "vectorcall": "PyObject_Vectorcall",
    "hold": "Py_IncRef",
    "release": "Py_DecRef",
    "bind": "PyMethod_New",
}
"""Of CPython, by what they are called here."""
RECORD = (*TYPES, *FUNCTIONS, "written")
MEMBER, OFFSET = 40, 16
"""Where a slot's descriptor has its PyMemberDef, and where that has the offset of the slot."""
WAY, PLACE = "python_call", "record_place"


def open_short_way(data: Data) -> None:
    """From now on calls of quantities take it, where this interpreter's objects are as expected."""
    if supported() and hasattr(ctypes.pythonapi, "PyObject_Vectorcall"):  # not before Python 3.11
        slots = {name: _offset(vars(type(data))[name]) for name in SLOTS}
        if all(peek(data, at) == id(getattr(data, name)) for name, at in slots.items()):
            with machine.ALONE:
                if not _OPENED:
                    _OPENED.append(_open(type(data), **slots))
                    # Quantities may be called when this module is gone: when it is loaded anew, or
                    # at the end of the process.
                    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_OPENED[0]))


_OPENED: list[tuple[Any, ...]] = []
"""What the way needs: it lives as long as the process."""


def _open(data_type: type[Data], model: int, bound: int) -> tuple[Any, ...]:
    """Make it the method of quantities; what has to live as long as that is returned."""
    text = _text(model, bound)
    entry = kept.key(machine.fingerprint(), text)
    object_code = kept.load(entry)
    if object_code is None:
        object_code = machine.to_object_code(text)
        kept.store(entry, object_code)
    code = machine.LoadedCode(object_code, (WAY, PLACE))
    written: Callable[..., Any] = vars(Quantity)["__call__"]
    record = (ctypes.c_uint64 * len(RECORD)).from_address(
        ctypes.CFUNCTYPE(ctypes.c_uint64)(code.address(PLACE))()
    )
    functions = [getattr(ctypes.pythonapi, name) for name in FUNCTIONS.values()]
    addresses = [ctypes.cast(x, ctypes.c_void_p).value or 0 for x in functions]
    record[:] = [id(data_type), id(dict), *addresses, id(written)]
    signature = "__call__($self, model=None, data=None, /, *arrays, **named)"
    doc = f"{signature}\n--\n\n{written.__doc__}"
    method = MethodDef.of("__call__", code.address(WAY), doc)
    make = ctypes.pythonapi.PyDescr_NewMethod
    make.restype, make.argtypes = ctypes.py_object, (ctypes.py_object, ctypes.c_void_p)
    Quantity.__call__ = make(Quantity, ctypes.addressof(method))  # type: ignore[method-assign]
    return (code, written, method)


def _offset(slot: Any) -> int:
    return ctypes.c_int64.from_address(peek(slot, MEMBER) + OFFSET).value


def _text(model: int, bound: int) -> str:
    """LLVM IR of ``PyObject *python_call(self, PyObject **args, Py_ssize_t nargs, names)``.

    ``self`` is before the first of ``args`` where Python calls the quantity, but not where it calls
    ``rnea.__call__``. So what goes the slow way is bound to it first.
    """
    call = pointer("i64 (i64, i64, i64, i64)")
    count = len(RECORD)
    lines = [
        f"@record = internal global [{count} x i64] zeroinitializer",
        f"define i64 @{PLACE}() {{",
        f"  %at = ptrtoint {pointer(f'[{count} x i64]')} @record to i64",
        "  ret i64 %at",
        "}",
        f"define i64 @{WAY}(i64 %self, i64 %args, i64 %nargs, i64 %names) {{",
        f"  %record = ptrtoint {pointer(f'[{count} x i64]')} @record to i64",
    ]
    for k, entry in enumerate(RECORD):
        lines += load(entry, "%record", 8 * k)
    lines += [
        f"  %keep = inttoptr i64 %hold to {pointer('void (i64)')}",
        f"  %drop = inttoptr i64 %release to {pointer('void (i64)')}",
        f"  %call = inttoptr i64 %vectorcall to {call}",
        "  %unnamed = icmp eq i64 %names, 0",
        "  %enough = icmp sge i64 %nargs, 2",
        "  %fine = and i1 %unnamed, %enough",
        "  br i1 %fine, label %arguments, label %slow",
        "arguments:",
        *load("model", "%args", 0),
        *load("data", "%args", 8),
        *load("type", "%data", OBJECT_TYPE),
        "  %isdata = icmp eq i64 %type, %data_type",
        "  br i1 %isdata, label %slots, label %slow",
        "slots:",
        *load("its", "%data", model),
        *load("bound", "%data", bound),
        "  %same = icmp eq i64 %its, %model",
        "  %any = icmp ne i64 %bound, 0",
        "  %filled = and i1 %same, %any",
        "  br i1 %filled, label %kind, label %slow",
        "kind:",
        *load("its_type", "%bound", OBJECT_TYPE),
        "  %isdict = icmp eq i64 %its_type, %dict_type",
        "  br i1 %isdict, label %look, label %slow",
        "look:",
        f"  %get = inttoptr i64 %look_up to {pointer('i64 (i64, i64)')}",
        "  %found = call i64 %get(i64 %bound, i64 %self)",
        "  %there = icmp ne i64 %found, 0",
        "  br i1 %there, label %compute, label %slow",
        "compute:",
        "  %arrays = add i64 %args, 16",
        "  %count = sub i64 %nargs, 2",
        "  call void %keep(i64 %found)",
        "  %answer = call i64 %call(i64 %found, i64 %arrays, i64 %count, i64 0)",
        "  call void %drop(i64 %found)",
        "  ret i64 %answer",
        "slow:",
        f"  %method = inttoptr i64 %bind to {pointer('i64 (i64, i64)')}",
        "  %mine = call i64 %method(i64 %written, i64 %self)",
        "  %made = icmp ne i64 %mine, 0",
        "  br i1 %made, label %patiently, label %failed",
        "patiently:",
        "  %other = call i64 %call(i64 %mine, i64 %args, i64 %nargs, i64 %names)",
        "  call void %drop(i64 %mine)",
        "  ret i64 %other",
        "failed:",
        "  ret i64 0",
        "}",
    ]
    return "\n".join(lines) + "\n"
