# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A door from Python into compiled code that costs tens of nanoseconds.

ctypes and numba spend more time unpacking arrays than an arm's dynamics take. This door is printed
beside the kernel as a function of CPython's vectorcall protocol: it looks at each argument, and if
all are float64 arrays of the right size it calls the kernel on their memory. Anything else goes to
a Python function that takes keyword arguments, copies strided arrays and raises worded errors. The
addresses that the door needs (types, outputs, that function) are in a *record*, an array made anew
in every process, so the machine code itself can be kept on disk.

The GIL stays held for one state: a call takes microseconds, and whoever gives the GIL up waits up
to 5 ms (``sys.getswitchinterval``) to get it back from a busy thread, too long in a control loop.
"""

from __future__ import annotations

import ctypes
import inspect
import itertools
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.codegen.llvm import BATCH, KERNEL, SHARED
from dyn_core.codegen.machine import ALONE
from dyn_core.codegen.number import DOUBLE, Number, pointer
from dyn_core.codegen.over_states import COUNTER
from dyn_core.codegen.signature import FLOAT64, Signature, States
from dyn_core.execution.order import Code

ENTRY = "python_entry"
FILLING = "python_filling"
SHARING = "python_sharing"
"""Names of the printed functions: with the outputs in the record, as arguments, and as arguments of
each of the threads that share many states."""
OBJECT_TYPE = 8
"""Offset of the type in every Python object."""
ARRAY = {"data": 16, "nd": 24, "dimensions": 32, "descr": 56, "flags": 64}
"""Offsets in a numpy array, part of numpy's ABI; :func:`supported` verifies them."""
USABLE = 0x1 | 0x100
"""Array flags C_CONTIGUOUS and ALIGNED."""
WRITABLE = 0x400
"""Array flag WRITEABLE."""
RECORD = (
    *("array_type", "number", "result", "incref", "fallback", "vectorcall"),
    *("save", "restore", "to_whole", "from_whole"),
)
"""Entries of the record before the addresses of outputs, and of their flags."""
METH_FASTCALL, METH_KEYWORDS = 0x80, 0x02


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_void_p),
    )


TOGETHER = 128
"""How many definitions are allocated at once."""
_definitions: list[ctypes.Array[MethodDef]] = []
_numbers = itertools.count()
_texts: dict[str, bytes] = {}
"""Names and docstrings in definitions."""


def _definition(name: str, function: int, doc: str) -> int:
    """The address of the definition of a function of (self, arguments, their number, names).

    It is never freed, nor is its text, which doors of one kind share: CPython reads a definition
    while it deallocates the function, when the garbage collector may have cleared all that the
    function held. That leaves 32 bytes of each door.
    """
    words = [_texts.setdefault(text, text.encode()) for text in (name, doc)]
    with ALONE:
        block, k = divmod(next(_numbers), TOGETHER)
        if block == len(_definitions):
            _definitions.append((MethodDef * TOGETHER)())
        place = ctypes.addressof(_definitions[block]) + k * ctypes.sizeof(MethodDef)
    definition = MethodDef.from_address(place)
    for field, text in zip(("name", "doc"), words, strict=True):
        setattr(definition, field, ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value)
    definition.function, definition.flags = function, METH_FASTCALL | METH_KEYWORDS
    return place


class _Record(np.ndarray):  # type: ignore[type-arg]
    """The array of addresses; it keeps alive what they point to."""

    keep: tuple[Any, ...] = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        """They are addresses of this process, and what somebody pickles is their function."""
        raise TypeError("a bound function cannot be pickled: pickle its kernel and bind that")


@cache
def supported() -> bool:
    """Whether this interpreter and numpy lay out their objects as the door expects.

    Checked on real arrays; where it does not hold, calls go through ctypes and are slower.
    """
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    probe = np.arange(6.0)[:5]
    read = {name: peek(probe, offset) for name, offset in ARRAY.items()}
    return (
        ctypes.sizeof(ctypes.c_void_p) == 8
        and peek(probe, OBJECT_TYPE) == id(np.ndarray)
        and read["data"] == probe.ctypes.data
        and read["nd"] & 0xFFFFFFFF == 1
        and ctypes.c_int64.from_address(read["dimensions"]).value == 5
        and read["descr"] == id(probe.dtype)
        and read["flags"] & USABLE == USABLE
        and peek(np.arange(6.0)[::2], ARRAY["flags"]) & 0x1 == 0
    )


def print_entry(signature: Signature) -> str:
    """LLVM IR of ``PyObject *python_entry(record, PyObject **args, Py_ssize_t nargs, names)``.

    Its arguments are the inputs; where the outputs are is in the record.
    """
    shapes = [expected.shape for expected in signature.inputs.values()]
    count = len(signature.outputs)
    found: list[str] = []
    writable = str(WRITABLE)
    for k in range(count):
        found += load(f"o{k}", "%record", 8 * (len(RECORD) + k))
        found += load(f"o{k}.flags", "%record", 8 * (len(RECORD) + count + k))
        found += load(f"o{k}.bits", f"%o{k}.flags", 0, "i32")
        found.append(f"  %o{k}.writable = and i32 %o{k}.bits, {writable}")
        writable = f"%o{k}.writable"
    found += [
        f"  %outputs.writable = icmp ne i32 {writable}, 0",
        "  br i1 %outputs.writable, label %compute, label %slow",
        "compute:",
    ]
    addresses = [f"%a{k}.data" for k in range(len(shapes))] + [f"%o{k}" for k in range(count)]
    return _function(ENTRY, shapes, len(shapes), [*found, *_call(KERNEL, [], addresses)])


def print_filling(signature: Signature) -> str:
    """The same with the outputs as arguments after the inputs: ``python_filling``."""
    shapes = [*(expected.shape for expected in signature.inputs.values()), *signature.outputs]
    addresses = [f"%a{k}.data" for k in range(len(shapes))]
    return _function(FILLING, shapes, len(signature.inputs), _call(KERNEL, [], addresses))


def print_batch_filling(
    signature: Signature, states: States, block: int, number: Number = DOUBLE
) -> str:
    """The same for many states, as many as the first input has, in blocks of ``block`` or 1.

    The GIL is free meanwhile. An output that overlaps anything but an input in whose very place it
    is goes the slow way, which finds the words.

    ``python_sharing`` is for one of several threads: it takes the address of the counter and the
    size of a piece after the arrays, and returns how many states it has computed.
    """
    inputs = len(signature.inputs)
    of_one = [*(expected.shape for expected in signature.inputs.values()), *signature.outputs]
    shapes = [states.shape(shape) for shape in of_one]
    addresses = [f"%a{k}.data" for k in range(len(shapes))]
    body = [f"  %states = mul i64 %a0.size0, {block}"]
    for k, shape in enumerate(shapes):
        fixed = prod(size for size in shape if isinstance(size, int))
        body += [f"  %bytes{k} = mul i64 %a0.size0, {number.bytes * fixed}"]
        body += [f"  %end{k} = add i64 {addresses[k]}, %bytes{k}"]
    fine = "true"
    for k in range(inputs, len(shapes)):
        for other in range(k):
            body += _apart(k, other, in_place=other < inputs)
            body.append(f"  %fine{k}.{other} = and i1 %apart{k}.{other}, {fine}")
            fine = f"%fine{k}.{other}"
    body += [f"  br i1 {fine}, label %compute, label %slow", "compute:"]
    alone = _without_gil(_call(BATCH, ["i64 %states"], addresses, number.pointer))
    leading = [f"{COUNTER} %taken", "i64 %piece", "i64 %states"]
    shared = [
        *_whole("counter", len(shapes)),
        *_whole("piece", len(shapes) + 1),
        f"  %taken = inttoptr i64 %counter to {COUNTER}",
        *_without_gil(_call(SHARED, leading, addresses, number.pointer, "%computed = call i64")),
        f"  %from.f = inttoptr i64 %from_whole to {pointer('i64 (i64)')}",
        "  %number.of = call i64 %from.f(i64 %computed)",
        "  ret i64 %number.of",
    ]
    return _function(FILLING, shapes, inputs, [*body, *alone]) + _function(
        SHARING, shapes, inputs, [*body, *shared], numbers=2
    )


def open_door(
    code: Code,
    function: str,
    result: Any,
    outputs: Sequence[NDArray[np.float64]],
    fallback: Callable[..., Any],
    dtype: np.dtype[np.floating] = FLOAT64,
) -> Callable[..., Any]:
    """The Python callable of a printed function.

    It returns ``result`` after the kernel has filled ``outputs``, or what ``fallback`` returns
    (or raises) for arguments that the kernel cannot take. The callable has the name, signature and
    docstring of ``fallback``.
    """
    api = ctypes.pythonapi
    try:
        vectorcall = api.PyObject_Vectorcall
    except AttributeError:  # not a symbol before Python 3.11; this one takes functions only
        vectorcall = api._PyFunction_Vectorcall
    known = {
        "array_type": id(np.ndarray),
        "number": id(dtype),
        "result": id(result),
        "incref": ctypes.cast(api.Py_IncRef, ctypes.c_void_p).value,
        "fallback": id(fallback),
        "vectorcall": ctypes.cast(vectorcall, ctypes.c_void_p).value,
        "save": ctypes.cast(api.PyEval_SaveThread, ctypes.c_void_p).value,
        "restore": ctypes.cast(api.PyEval_RestoreThread, ctypes.c_void_p).value,
        "to_whole": ctypes.cast(api.PyLong_AsLongLong, ctypes.c_void_p).value,
        "from_whole": ctypes.cast(api.PyLong_FromLongLong, ctypes.c_void_p).value,
    }
    addresses = [known[name] for name in RECORD] + [array.ctypes.data for array in outputs]
    addresses += [id(array) + ARRAY["flags"] for array in outputs]
    record = np.array(addresses, dtype=np.uint64).view(_Record)
    doc = f"{fallback.__name__}{inspect.signature(fallback)}\n--\n\n{fallback.__doc__}"
    definition = _definition(fallback.__name__, code.address(function), doc)
    record.keep = (code, result, tuple(outputs), fallback)
    make = api.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    door: Callable[..., Any] = make(definition, record, None)
    return door


def peek(thing: object, offset: int) -> int:
    """The eight bytes of an object at an offset."""
    return ctypes.c_uint64.from_address(id(thing) + offset).value


def load(name: str, base: str, offset: int, kind: str = "i64") -> list[str]:
    """LLVM IR that reads a number of this kind from an address."""
    return [
        f"  %{name}.at = add i64 {base}, {offset}",
        f"  %{name}.p = inttoptr i64 %{name}.at to {pointer(kind)}",
        f"  %{name} = load {kind}, {pointer(kind)} %{name}.p, align 4",
    ]


def _function(
    name: str,
    shapes: Sequence[tuple[int | str, ...]],
    inputs: int,
    body: Sequence[str],
    numbers: int = 0,
) -> str:
    """A function that checks its arguments, of which the first are inputs, and runs ``body``.

    After the arrays come so many numbers, which only we give and are not checked. With them the
    body ends the function, else that returns the ``result`` of the record.
    """
    lines = [f"define i64 @{name}(i64 %self, i64 %args, i64 %nargs, i64 %names) {{"]
    lines += load("record", "%self", ARRAY["data"])
    for k, entry in enumerate(RECORD):
        lines += load(entry, "%record", 8 * k)
    lines += [
        f"  %enough = icmp eq i64 %nargs, {len(shapes) + numbers}",
        "  %unnamed = icmp eq i64 %names, 0",
        "  %positional = and i1 %enough, %unnamed",
        "  br i1 %positional, label %argument0, label %slow",
    ]
    for k, shape in enumerate(shapes):
        lines += _argument(k, shape, USABLE if k < inputs else USABLE | WRITABLE)
    done = [
        f"  %inc = inttoptr i64 %incref to {pointer('void (i64)')}",
        "  call void %inc(i64 %result)",
        "  ret i64 %result",
    ]
    lines += [
        f"argument{len(shapes)}:",
        *body,
        *([] if numbers else done),
        "slow:",
        f"  %vec = inttoptr i64 %vectorcall to {pointer('i64 (i64, i64, i64, i64)')}",
        "  %answer = call i64 %vec(i64 %fallback, i64 %args, i64 %nargs, i64 %names)",
        "  ret i64 %answer",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _argument(k: int, shape: tuple[int | str, ...], needed: int) -> list[str]:
    """Check argument k and load the address of its numbers.

    Letters in shapes are the first size of the first argument.
    """
    x = f"a{k}"
    lines = [f"argument{k}:", *load(x, "%args", 8 * k), *load(f"{x}.type", f"%{x}", OBJECT_TYPE)]
    lines += [
        f"  %{x}.array = icmp eq i64 %{x}.type, %array_type",
        f"  br i1 %{x}.array, label %vector{k}, label %slow",
        f"vector{k}:",
        *load(f"{x}.nd", f"%{x}", ARRAY["nd"], "i32"),
        f"  %{x}.flat = icmp eq i32 %{x}.nd, {len(shape)}",
        f"  br i1 %{x}.flat, label %size{k}, label %slow",
        f"size{k}:",
        *load(f"{x}.data", f"%{x}", ARRAY["data"]),
        *load(f"{x}.dims", f"%{x}", ARRAY["dimensions"]),
        *load(f"{x}.descr", f"%{x}", ARRAY["descr"]),
        *load(f"{x}.flags", f"%{x}", ARRAY["flags"], "i32"),
        f"  %{x}.real = icmp eq i64 %{x}.descr, %number",
        f"  %{x}.bits = and i32 %{x}.flags, {needed}",
        f"  %{x}.layout = icmp eq i32 %{x}.bits, {needed}",
        f"  %{x}.good0 = and i1 %{x}.real, %{x}.layout",
    ]
    for d, size in enumerate(shape):
        lines += load(f"{x}.size{d}", f"%{x}.dims", 8 * d)
        lines += [
            f"  %{x}.sized{d} = icmp eq i64 %{x}.size{d}, "
            + (str(size) if isinstance(size, int) else "%a0.size0"),
            f"  %{x}.good{d + 1} = and i1 %{x}.good{d}, %{x}.sized{d}",
        ]
    return [*lines, f"  br i1 %{x}.good{len(shape)}, label %argument{k + 1}, label %slow"]


def _apart(k: int, other: int, in_place: bool) -> list[str]:
    """Whether arrays k and another do not overlap, or are the same where that is allowed."""
    pair = f"{k}.{other}"
    lines = [
        f"  %before{pair} = icmp ule i64 %end{k}, %a{other}.data",
        f"  %after{pair} = icmp ule i64 %end{other}, %a{k}.data",
    ]
    if not in_place:
        return [*lines, f"  %apart{pair} = or i1 %before{pair}, %after{pair}"]
    return [
        *lines,
        f"  %either{pair} = or i1 %before{pair}, %after{pair}",
        f"  %there{pair} = icmp eq i64 %a{k}.data, %a{other}.data",
        f"  %long{pair} = icmp eq i64 %bytes{k}, %bytes{other}",
        f"  %same{pair} = and i1 %there{pair}, %long{pair}",
        f"  %apart{pair} = or i1 %either{pair}, %same{pair}",
    ]


def _whole(name: str, k: int) -> list[str]:
    """Argument k, a number of Python's."""
    return [
        *load(f"{name}.object", "%args", 8 * k),
        f"  %{name}.f = inttoptr i64 %to_whole to {pointer('i64 (i64)')}",
        f"  %{name} = call i64 %{name}.f(i64 %{name}.object)",
    ]


def _without_gil(lines: Sequence[str]) -> list[str]:
    return [
        f"  %save.f = inttoptr i64 %save to {pointer('i64 ()')}",
        "  %thread = call i64 %save.f()",
        *lines,
        f"  %restore.f = inttoptr i64 %restore to {pointer('void (i64)')}",
        "  call void %restore.f(i64 %thread)",
    ]


def _call(
    function: str,
    leading: Sequence[str],
    addresses: Sequence[str],
    kind: str = DOUBLE.pointer,
    call: str = "call void",
) -> list[str]:
    """The call of machine code on arrays that begin at these addresses."""
    lines, arguments = [], list(leading)
    for k, address in enumerate(addresses):
        lines.append(f"  %array{k} = inttoptr i64 {address} to {kind}")
        arguments.append(f"{kind} %array{k}")
    return [*lines, f"  {call} @{function}({', '.join(arguments)})"]
