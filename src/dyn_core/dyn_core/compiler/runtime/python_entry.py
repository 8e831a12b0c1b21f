# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An entry from Python into compiled code that costs tens of nanoseconds.

ctypes and numba need more time to unpack arrays than an arm's dynamics take. An entry is printed
beside the kernel as a function of CPython's vectorcall protocol. It checks the arguments; if all
are float64 arrays of the right shapes, it calls the kernel on their memory. Else it calls a Python
function, the fallback, which takes keyword arguments, copies strided arrays and raises worded
errors. The addresses that an entry needs (types, outputs, the fallback) are in a *record*, an array
that each process makes anew, so that machine code can be kept on disk.

For one state the GIL is kept: a call takes microseconds, and a thread that releases the GIL may
wait 5 ms (``sys.getswitchinterval``) for it while another is busy, too long for a control loop.
"""

from __future__ import annotations

import ctypes
import inspect
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.runtime.build_spec import Code
from dyn_core.compiler.signature import FLOAT64, BatchShape, Signature
from dyn_core.compiler.targets.llvm.functions import COUNTER, KERNEL, SHARED
from dyn_core.compiler.targets.llvm.instructions import DOUBLE, Emitter, Number, function, pointer

Sizes: TypeAlias = tuple[int | str, ...]
ENTRY = "python_entry"
FILLING = "python_filling"
"""Names of the printed functions: with the outputs in the record, and as arguments."""
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
"""Entries of the record before the addresses of outputs."""
METH_FASTCALL, METH_KEYWORDS = 0x80, 0x02


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_definitions: dict[tuple[str, int, str], MethodDef] = {}
"""The definitions of all functions, by name, address and docstring."""


def _definition(name: str, function: int, doc: str) -> int:
    """The address of the definition of a function of (self, arguments, their number, names).

    All entries to one function share it. One reference to it is never given back: CPython reads a
    definition while it deallocates an entry, and when the interpreter ends, the garbage collector
    may have cleared all that the entry held, and this module too.
    """
    flags = METH_FASTCALL | METH_KEYWORDS
    made = MethodDef(name.encode(), function, flags, doc.encode())
    definition = _definitions.setdefault((name, function, doc), made)
    if definition is made:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return ctypes.addressof(definition)


class _Record(np.ndarray):  # type: ignore[type-arg]
    """The array of addresses; it keeps the objects at these addresses alive."""

    keep: tuple[Any, ...] = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse: the addresses are valid in this process alone."""
        raise TypeError("a bound function cannot be pickled: pickle its kernel and bind that")


@cache
def supported() -> bool:
    """Whether objects of this interpreter and of numpy have the layout that entries expect.

    It is checked on real arrays; if it does not hold, calls go through ctypes, which is slower.
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


def print_entries(signature: Signature) -> str:
    """LLVM IR of ``PyObject *python_entry(record, PyObject **args, Py_ssize_t nargs, names)``.

    Its arguments are the inputs; the record has the outputs. After it ``python_filling``, which
    takes the outputs as arguments after the inputs.
    """
    inputs, outputs = [x.shape for x in signature.inputs.values()], list(signature.outputs)
    bound = _EntryPrinter().of_one_state(ENTRY, inputs, outputs, bound=True)
    return bound + _EntryPrinter().of_one_state(FILLING, inputs, outputs, bound=False)


def print_batch_entry(signature: Signature, states: BatchShape, block: int, number: Number) -> str:
    """LLVM IR of a ``python_filling`` for many states, as many as the first input has.

    It returns how many states it has computed; the GIL is free meanwhile. One of several threads
    passes two integers after the arrays: the address of the counter that they share, and the size
    of a piece (:func:`print_over_states`).

    Args:
        signature: of one state.
        states: the layout of the arrays.
        block: states in an entry of the arrays' first dimension.
        number: the type of the arrays' numbers.
    """
    inputs = [states.shape(x.shape) for x in signature.inputs.values()]
    outputs = [states.shape(shape) for shape in signature.outputs]
    return _EntryPrinter(number).of_states(FILLING, inputs, outputs, block)


def open_entry(
    code: Code,
    function: str,
    result: Any,
    outputs: Sequence[NDArray[np.float64]],
    fallback: Callable[..., Any],
    dtype: np.dtype[np.floating] = FLOAT64,
) -> Callable[..., Any]:
    """The Python callable of a printed function.

    It returns ``result`` after the kernel has filled ``outputs``; for arguments that the kernel
    cannot take it returns the result of ``fallback``. The callable has the name, signature and
    docstring of ``fallback``, and is ``fallback`` itself where entries are not :func:`supported`.
    """
    if not supported():
        return fallback
    api = ctypes.pythonapi
    try:
        vectorcall = api.PyObject_Vectorcall
    except AttributeError:  # not a symbol before Python 3.11; this one takes functions only
        vectorcall = api._PyFunction_Vectorcall
    known = {
        "array_type": id(np.ndarray),
        "number": id(dtype),
        "result": id(result),
        "fallback": id(fallback),
        "incref": api.Py_IncRef,
        "vectorcall": vectorcall,
        "save": api.PyEval_SaveThread,
        "restore": api.PyEval_RestoreThread,
        "to_whole": api.PyLong_AsLongLong,
        "from_whole": api.PyLong_FromLongLong,
    }
    entries = (known[name] for name in RECORD)
    addresses = [x if isinstance(x, int) else _place(x) for x in entries]
    addresses += map(id, outputs)
    record = np.array(addresses, dtype=np.uint64).view(_Record)
    doc = f"{fallback.__name__}{inspect.signature(fallback)}\n--\n\n{fallback.__doc__}"
    definition = _definition(fallback.__name__, code.address(function), doc)
    record.keep = (code, result, tuple(outputs), fallback)
    make = api.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    entry: Callable[..., Any] = make(definition, record, None)
    return entry


def _place(of: Any) -> int | None:
    """The address of a function of C."""
    return ctypes.cast(of, ctypes.c_void_p).value


def peek(thing: object, offset: int) -> int:
    """The eight bytes of an object at an offset."""
    return ctypes.c_uint64.from_address(id(thing) + offset).value


class _EntryPrinter(Emitter):
    """Prints a function that checks its arguments and calls machine code on their memory.

    If any argument does not fit, the fallback is called with all of them.
    """

    def __init__(self, number: Number = DOUBLE) -> None:
        super().__init__(number)
        self.label("start")
        record = self._load("%self", ARRAY["data"])
        self.record = {name: self._load(record, 8 * k) for k, name in enumerate(RECORD)}
        self.bound = self.op(f"add i64 {record}, {8 * len(RECORD)}")
        """Address of the outputs in the record."""
        self.count = ""
        """The first size of the first argument, which letters in shapes stand for."""
        self.arrays: list[str] = []
        """Addresses of the arrays' numbers."""

    def of_one_state(
        self, name: str, inputs: Sequence[Sizes], outputs: Sequence[Sizes], bound: bool
    ) -> str:
        """A function that returns the record's ``result``; outputs may be ``bound`` by it."""
        self._require_positional(len(inputs) if bound else len(inputs) + len(outputs))
        self._take("%args", 0, inputs, USABLE)
        if bound:
            self._take(self.bound, 0, outputs, USABLE | WRITABLE)
        else:
            self._take("%args", len(inputs), outputs, USABLE | WRITABLE)
        self.lines.append(f"call void @{KERNEL}({self._pointers()})")
        self._call("incref", "void (i64)", f"i64 {self.record['result']}")
        return self._returning(name, self.record["result"])

    def of_states(
        self, name: str, inputs: Sequence[Sizes], outputs: Sequence[Sizes], block: int
    ) -> str:
        """A function that returns the number of states that this call has computed."""
        own, several = self.op("alloca i64"), len(inputs) + len(outputs) + 2
        self.lines.append(f"store i64 0, {COUNTER} {own}")
        shared = self.op(f"icmp eq i64 %nargs, {several}")
        self._require_positional(self.op(f"select i1 {shared}, i64 {several}, i64 {several - 2}"))
        self._take("%args", 0, inputs, USABLE)
        self._take("%args", len(inputs), outputs, USABLE | WRITABLE)
        self._require_apart([*inputs, *outputs], len(inputs))
        states, before = self.op(f"mul i64 {self.count}, {block}"), self.block
        self.lines.append(f"br i1 {shared}, label %among, label %compute")
        self.label("among")
        given = [self._load("%args", 8 * (several + k)) for k in (-2, -1)]
        address, piece = (self._call("to_whole", "i64 (i64)", f"i64 {x}") for x in given)
        counter = self.op(f"inttoptr i64 {address} to {COUNTER}")
        self.lines.append("br label %compute")
        self.label("compute")
        taken = self.op(f"phi {COUNTER} [{own}, %{before}], [{counter}, %among]")
        pieces = self.op(f"phi i64 [{states}, %{before}], [{piece}, %among]")
        leading, pointers = f"{COUNTER} {taken}, i64 {pieces}, i64 {states}", self._pointers()
        thread = self._call("save", "i64 ()")
        computed = self.op(f"call i64 @{SHARED}({leading}, {pointers})")
        self._call("restore", "void (i64)", f"i64 {thread}")
        return self._returning(name, self._call("from_whole", "i64 (i64)", f"i64 {computed}"))

    def _load(self, base: str, offset: int, kind: str = "i64") -> str:
        """A number in memory."""
        at = self.op(f"add i64 {base}, {offset}")
        place = self.op(f"inttoptr i64 {at} to {pointer(kind)}")
        return self.op(f"load {kind}, {pointer(kind)} {place}, align 4")

    def _call(self, name: str, kind: str, argument: str = "") -> str:
        """The result, if any, of a function of CPython that is in the record."""
        place = self.op(f"inttoptr i64 {self.record[name]} to {pointer(kind)}")
        call = f"call {kind.split(' ', 1)[0]} {place}({argument})"
        if not kind.startswith("void"):
            return self.op(call)
        self.lines.append(call)
        return ""

    def _require(self, comparison: str, *operands: str | int) -> None:
        """Go on if a comparison holds, else to the fallback."""
        fits, here = self.op(f"{comparison} {', '.join(map(str, operands))}"), len(self.lines)
        self.lines.append(f"br i1 {fits}, label %fits{here}, label %slow")
        self.label(f"fits{here}")

    def _require_positional(self, count: int | str) -> None:
        self._require("icmp eq i64", "%nargs", count)
        self._require("icmp eq i64", "%names", 0)

    def _take(self, base: str, first: int, shapes: Sequence[Sizes], flags: int) -> None:
        """Check the arrays whose addresses lie from ``base`` on, past the ``first`` ones.

        Of bound arrays only the flags are checked, which a user may change.
        """
        for k, shape in enumerate(shapes, first):
            x = self._load(base, 8 * k)
            if base != self.bound:
                self._require_shape(x, shape)
            bits = self.op(f"and i32 {self._load(x, ARRAY['flags'], 'i32')}, {flags}")
            self._require("icmp eq i32", bits, flags)
            self.arrays.append(self._load(x, ARRAY["data"]))

    def _require_shape(self, x: str, shape: Sizes) -> None:
        self._require("icmp eq i64", self._load(x, OBJECT_TYPE), self.record["array_type"])
        self._require("icmp eq i32", self._load(x, ARRAY["nd"], "i32"), len(shape))
        self._require("icmp eq i64", self._load(x, ARRAY["descr"]), self.record["number"])
        dimensions = self._load(x, ARRAY["dimensions"])
        for d, size in enumerate(shape):
            found = self._load(dimensions, 8 * d)
            self.count = self.count or found
            self._require("icmp eq i64", found, self.count if isinstance(size, str) else size)

    def _require_apart(self, shapes: Sequence[Sizes], inputs: int) -> None:
        """No output may overlap another array, but it may be in the very place of an input."""
        sizes = [prod(size for size in shape if isinstance(size, int)) for shape in shapes]
        lengths = [self.op(f"mul i64 {self.count}, {self.number.bytes * x}") for x in sizes]
        pairs = zip(self.arrays, lengths, strict=True)
        ends = [self.op(f"add i64 {start}, {length}") for start, length in pairs]
        for k in range(inputs, len(shapes)):
            for other in range(k):
                start, place = self.arrays[k], self.arrays[other]
                before = self.op(f"icmp ule i64 {ends[k]}, {place}")
                after = self.op(f"icmp ule i64 {ends[other]}, {start}")
                fine = self.op(f"or i1 {before}, {after}")
                if other < inputs and sizes[other] == sizes[k]:
                    same = self.op(f"icmp eq i64 {start}, {place}")
                    fine = self.op(f"or i1 {fine}, {same}")
                self._require("icmp eq i1", fine, "true")

    def _pointers(self) -> str:
        """The arrays as arguments of machine code."""
        kind = self.number.pointer
        pointers = [self.op(f"inttoptr i64 {x} to {kind}") for x in self.arrays]
        return ", ".join(f"{kind} {x}" for x in pointers)

    def _returning(self, name: str, result: str) -> str:
        """The function, once everything else is printed."""
        self.lines.append(f"ret i64 {result}")
        self.label("slow")
        arguments = f"i64 {self.record['fallback']}, i64 %args, i64 %nargs, i64 %names"
        answer = self._call("vectorcall", "i64 (i64, i64, i64, i64)", arguments)
        self.lines.append(f"ret i64 {answer}")
        return function(f"i64 @{name}(i64 %self, i64 %args, i64 %nargs, i64 %names)", self.lines)
