"""A door from Python into compiled code that costs tens of nanoseconds.

ctypes and numba spend more time unpacking arrays than an arm's dynamics take. This door is printed
beside the kernel as a function of CPython's vectorcall protocol: it looks at each argument, and if
all are float64 arrays of the right size it calls the kernel on their memory. Anything else goes to
a Python function that takes keyword arguments, copies strided arrays and finds the words for what
is wrong. What the door needs to know (types, output addresses, that function) lies in a *record*,
an array of addresses made anew in every process, so the machine code itself can be kept on disk.

The GIL stays held: a call takes microseconds, and whoever gives the GIL up waits up to 5 ms
(``sys.getswitchinterval``) to get it back from a busy thread, too long in a control loop.
"""

from __future__ import annotations

import ctypes
import inspect
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.codegen.llvm import KERNEL
from dyn_core.codegen.number import pointer
from dyn_core.codegen.signature import Signature

ENTRY = "python_entry"
OBJECT_TYPE = 8
"""Offset of the type in every Python object."""
ARRAY = {"data": 16, "nd": 24, "dimensions": 32, "descr": 56, "flags": 64}
"""Offsets in a numpy array, part of numpy's ABI; :func:`supported` verifies them."""
USABLE = 0x1 | 0x100
"""Array flags C_CONTIGUOUS and ALIGNED."""
RECORD = ("array_type", "float64", "result", "incref", "fallback", "vectorcall")
"""Entries of the record before the output addresses."""
METH_FASTCALL, METH_KEYWORDS = 0x80, 0x02


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Record(np.ndarray):  # type: ignore[type-arg]
    """The array of addresses; it keeps alive what they point to."""

    keep: tuple[Any, ...] = ()


@cache
def supported() -> bool:
    """Whether this interpreter and numpy lay out their objects as the door expects.

    Checked on real arrays; where it does not hold, calls go through ctypes and are slower.
    """
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    probe = np.arange(6.0)[:5]
    read = {name: _peek(probe, offset) for name, offset in ARRAY.items()}
    return (
        ctypes.sizeof(ctypes.c_void_p) == 8
        and _peek(probe, OBJECT_TYPE) == id(np.ndarray)
        and read["data"] == probe.ctypes.data
        and read["nd"] & 0xFFFFFFFF == 1
        and ctypes.c_int64.from_address(read["dimensions"]).value == 5
        and read["descr"] == id(probe.dtype)
        and read["flags"] & USABLE == USABLE
        and _peek(np.arange(6.0)[::2], ARRAY["flags"]) & 0x1 == 0
    )


def print_entry(signature: Signature) -> str:
    """LLVM IR of ``PyObject *python_entry(record, PyObject **args, Py_ssize_t nargs, names)``."""
    lines = [f"define i64 @{ENTRY}(i64 %self, i64 %args, i64 %nargs, i64 %names) {{"]
    lines += _load("record", "%self", ARRAY["data"])
    for k, name in enumerate(RECORD):
        lines += _load(name, "%record", 8 * k)
    lines += [
        f"  %enough = icmp eq i64 %nargs, {len(signature.inputs)}",
        "  %unnamed = icmp eq i64 %names, 0",
        "  %positional = and i1 %enough, %unnamed",
        "  br i1 %positional, label %argument0, label %slow",
    ]
    for k, expected in enumerate(signature.inputs.values()):
        lines += _argument(k, expected.shape)
    lines += [f"argument{len(signature.inputs)}:"]
    lines += _call_kernel(signature)
    lines += [
        f"  %inc = inttoptr i64 %incref to {pointer('void (i64)')}",
        "  call void %inc(i64 %result)",
        "  ret i64 %result",
        "slow:",
        f"  %vec = inttoptr i64 %vectorcall to {pointer('i64 (i64, i64, i64, i64)')}",
        "  %answer = call i64 %vec(i64 %fallback, i64 %args, i64 %nargs, i64 %names)",
        "  ret i64 %answer",
        "}",
    ]
    return "\n".join(lines) + "\n"


def open_door(
    address: int, result: Any, outputs: Sequence[NDArray[np.float64]], fallback: Callable[..., Any]
) -> Callable[..., Any]:
    """The Python callable of the printed function at ``address``.

    It returns ``result`` after the kernel has filled ``outputs``, or what ``fallback`` returns
    (or raises) for arguments that the kernel cannot take. ``fallback`` must keep the machine code
    alive; the callable has its name, signature and docstring.
    """
    api = ctypes.pythonapi
    try:
        vectorcall = api.PyObject_Vectorcall
    except AttributeError:  # not a symbol before Python 3.11; this one takes functions only
        vectorcall = api._PyFunction_Vectorcall
    known = {
        "array_type": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "result": id(result),
        "incref": ctypes.cast(api.Py_IncRef, ctypes.c_void_p).value,
        "fallback": id(fallback),
        "vectorcall": ctypes.cast(vectorcall, ctypes.c_void_p).value,
    }
    addresses = [known[name] for name in RECORD] + [array.ctypes.data for array in outputs]
    record = np.array(addresses, dtype=np.uint64).view(_Record)
    doc = f"{fallback.__name__}{inspect.signature(fallback)}\n--\n\n{fallback.__doc__}"
    flags = METH_FASTCALL | METH_KEYWORDS
    method = _MethodDef(fallback.__name__.encode(), address, flags, doc.encode())
    record.keep = (result, tuple(outputs), fallback, method)
    make = api.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    door: Callable[..., Any] = make(ctypes.addressof(method), record, None)
    return door


def _peek(thing: object, offset: int) -> int:
    return ctypes.c_uint64.from_address(id(thing) + offset).value


def _load(name: str, base: str, offset: int, kind: str = "i64") -> list[str]:
    return [
        f"  %{name}.at = add i64 {base}, {offset}",
        f"  %{name}.p = inttoptr i64 %{name}.at to {pointer(kind)}",
        f"  %{name} = load {kind}, {pointer(kind)} %{name}.p, align 4",
    ]


def _argument(k: int, shape: tuple[int, ...]) -> list[str]:
    """Check argument k and load the address of its numbers."""
    x = f"a{k}"
    lines = [f"argument{k}:", *_load(x, "%args", 8 * k), *_load(f"{x}.type", f"%{x}", OBJECT_TYPE)]
    lines += [
        f"  %{x}.array = icmp eq i64 %{x}.type, %array_type",
        f"  br i1 %{x}.array, label %vector{k}, label %slow",
        f"vector{k}:",
        *_load(f"{x}.nd", f"%{x}", ARRAY["nd"], "i32"),
        f"  %{x}.flat = icmp eq i32 %{x}.nd, {len(shape)}",
        f"  br i1 %{x}.flat, label %size{k}, label %slow",
        f"size{k}:",
        *_load(f"{x}.data", f"%{x}", ARRAY["data"]),
        *_load(f"{x}.dims", f"%{x}", ARRAY["dimensions"]),
        *_load(f"{x}.descr", f"%{x}", ARRAY["descr"]),
        *_load(f"{x}.flags", f"%{x}", ARRAY["flags"], "i32"),
        f"  %{x}.real = icmp eq i64 %{x}.descr, %float64",
        f"  %{x}.bits = and i32 %{x}.flags, {USABLE}",
        f"  %{x}.layout = icmp eq i32 %{x}.bits, {USABLE}",
        f"  %{x}.good0 = and i1 %{x}.real, %{x}.layout",
    ]
    for d, size in enumerate(shape):
        lines += _load(f"{x}.size{d}", f"%{x}.dims", 8 * d)
        lines += [
            f"  %{x}.sized{d} = icmp eq i64 %{x}.size{d}, {size}",
            f"  %{x}.good{d + 1} = and i1 %{x}.good{d}, %{x}.sized{d}",
        ]
    return [*lines, f"  br i1 %{x}.good{len(shape)}, label %argument{k + 1}, label %slow"]


def _call_kernel(signature: Signature) -> list[str]:
    lines, sources = [], [f"%a{k}.data" for k in range(len(signature.inputs))]
    for k in range(len(signature.outputs)):
        lines += _load(f"o{k}", "%record", 8 * (len(RECORD) + k))
        sources.append(f"%o{k}")
    arrays = []
    for k, source in enumerate(sources):
        lines.append(f"  %array{k} = inttoptr i64 {source} to {pointer('double')}")
        arrays.append(f"{pointer('double')} %array{k}")
    return [*lines, f"  call void @{KERNEL}({', '.join(arrays)})"]
