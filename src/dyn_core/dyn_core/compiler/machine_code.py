# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""This machine's compiler: LLVM IR to object code, and object code to callable addresses.

Code addresses its constants by 32-bit distances (the small code model): a constant is an operand,
where the large code model needs an instruction of ten bytes for its address. LLVM's JITLink places
code and constants in one block and refuses larger distances. Older llvmlite, whose linker does not
check distances, compiles for the large code model.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from functools import cache, lru_cache
from threading import RLock
from typing import Any

import llvmlite
import llvmlite.binding as llvm

OPTIMIZATION = 2
"""The level of LLVM's code generator. LLVM's middle-end passes do not run: traces are simplified
already, and the passes only cost time."""
TUNED_FOR = {"x86_64": "x86-64-v4"}
"""The processor whose instruction costs the code generator assumes, by architecture; instructions
are those of this processor. On Zen 4, mass matrices and compilation take a tenth less time than
with LLVM's costs for Zen 4; other functions take as long."""
SMALL_CODE_MODEL: dict[str, Any] = {"codemodel": "small", "reloc": "pic"}
LARGE_CODE_MODEL: dict[str, Any] = {"jit": True}
"""Options of the code generator: the small and the large code model."""
COMPILER_LOCK = RLock()
"""The lock of all who compile or load code. It is held while the process forks: the child has none
of the other threads, and would wait forever for the lock of llvmlite that one of them held."""


def fingerprint() -> str:
    """All that object code depends on beside its source: LLVM, processor, features."""
    return "/".join(
        (
            f"llvmlite {llvmlite.__version__}",
            llvm.get_default_triple(),
            llvm.get_host_cpu_name(),
            _tuned_for(),
            _features(),
            str(OPTIMIZATION),
            str(reach()),
        )
    )


def lanes() -> int:
    """Doubles in the widest vector of this processor, at least 2 (SSE2, NEON)."""
    _initialize()
    features = llvm.get_host_cpu_features()
    wide = {"avx512f": 8, "avx2": 4}
    return next((count for name, count in wide.items() if features.get(name)), 2)


def has_time_stamps() -> bool:
    """Whether programs may read a cycle counter; on other processors only the kernel may."""
    return bool(llvm.get_default_triple().startswith("x86_64"))


@cache
def reach() -> dict[str, Any]:
    """The code model: the small one if there is a linker that checks distances."""
    return LARGE_CODE_MODEL if _linker(0) is None else SMALL_CODE_MODEL


def to_object_code(ir: str) -> bytes:
    """Compile the module text ``ir`` for this processor."""
    with COMPILER_LOCK:
        module = llvm.parse_assembly(ir)
        module.verify()
        code = bytes(_target_machine(reach()).emit_object(module))
        module.close()  # here, where the lock is held
    return code


def to_object_code_for(texts: Sequence[str], triple: str, cpu: str) -> tuple[bytes, list[str]]:
    """Compile module texts together for a processor, which may be of another architecture.

    Args:
        texts: of modules; a module may declare functions that another one defines.
        triple: LLVM's name of architecture and system.
        cpu: LLVM's name of the processor.

    Returns:
        Object code that may be loaded at any address, and the names of undefined functions.
    """
    _initialize_all()
    with COMPILER_LOCK:
        first, *others = [llvm.parse_assembly(text) for text in texts]
        for other in others:
            first.link_in(other)
        first.verify()
        target = llvm.Target.from_triple(triple).create_target_machine(
            cpu=cpu, opt=OPTIMIZATION, codemodel="small", reloc="pic"
        )
        needed = [x.name for x in first.functions if x.is_declaration]
        code = bytes(target.emit_object(first))
        first.close()
    return code, [name for name in needed if not name.startswith("llvm.")]


def to_assembly(ir: str) -> str:
    """The assembly text of the module text ``ir`` for this processor."""
    with COMPILER_LOCK:
        return str(_target_machine(reach()).emit_assembly(llvm.parse_assembly(ir)))


def code_size(object_code: bytes) -> int:
    """Bytes of instructions in object code."""
    sections = llvm.ObjectFileRef.from_data(object_code).sections()
    return sum(section.size() for section in sections if section.is_text())


class LoadedCode:
    """Object code in executable memory; addresses are valid while this object lives."""

    ready = True

    def __init__(self, object_code: bytes, functions: Sequence[str]) -> None:
        with COMPILER_LOCK:
            self._link(object_code, functions)

    def _link(self, object_code: bytes, functions: Sequence[str]) -> None:
        number = next(_links)
        linker = _linker(number // GENERATION)
        if linker is None:
            engine = llvm.create_mcjit_compiler(
                llvm.parse_assembly(""), _target_machine(LARGE_CODE_MODEL)
            )
            engine.add_object_file(llvm.ObjectFileRef.from_data(object_code))
            engine.finalize_object()
            self._code = engine
            self._addresses = {name: engine.get_function_address(name) for name in functions}
            return
        library = llvm.JITLibraryBuilder().add_object_img(object_code).add_current_process()
        for name in functions:
            library.export_symbol(name)
        self._code = library.link(linker, f"dyn_core {number}")
        self._addresses = {name: self._code[name] for name in functions}

    def address(self, function: str) -> int:
        """The address of one of the ``functions``."""
        return int(self._addresses[function])


def _features() -> str:
    return str(llvm.get_host_cpu_features().flatten())


def _tuned_for() -> str:
    architecture = llvm.get_default_triple().split("-")[0]
    return TUNED_FOR.get(architecture) or str(llvm.get_host_cpu_name())


os.register_at_fork(
    before=COMPILER_LOCK.acquire,
    after_in_parent=COMPILER_LOCK.release,
    after_in_child=COMPILER_LOCK.release,
)


@cache
def _initialize() -> None:
    if llvm.llvm_version_info[0] < 20:  # newer llvmlite does this by itself
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def _initialize_all() -> None:
    _initialize()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


GENERATION = 32
"""Links by one linker, which keeps 12 kB per link even if the code is freed. A linker takes a few
milliseconds to make, and a hundred kB."""
_links = itertools.count()


@lru_cache(maxsize=1)
def _linker(generation: int) -> llvm.LLJIT | None:
    """A linker, kept alive by the code that it has linked; None if llvmlite has no JITLink."""
    try:
        return llvm.create_lljit_compiler(_target_machine(), use_jit_link=True)
    except (AttributeError, RuntimeError):
        return None


def _target_machine(reach: dict[str, Any] = SMALL_CODE_MODEL) -> llvm.TargetMachine:
    _initialize()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=_tuned_for(), features=_features(), opt=OPTIMIZATION, **reach
    )
