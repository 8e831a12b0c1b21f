"""This machine's compiler: LLVM IR to object code, and object code to callable addresses."""

from __future__ import annotations

from functools import cache

import llvmlite
import llvmlite.binding as llvm

OPTIMIZATION = 2
"""Level of LLVM's code generator. Its middle-end passes are not run: traces are simplified
already, and the passes only cost time."""


def fingerprint() -> str:
    """What object code depends on beside its source: LLVM, processor and its features."""
    return "/".join(
        (
            f"llvmlite {llvmlite.__version__}",
            llvm.get_default_triple(),
            llvm.get_host_cpu_name(),
            _features(),
            str(OPTIMIZATION),
        )
    )


def to_object_code(ir: str) -> bytes:
    """Compile the module text ``ir`` for this processor."""
    module = llvm.parse_assembly(ir)
    module.verify()
    return bytes(_target_machine().emit_object(module))


class LoadedCode:
    """Object code in executable memory; addresses are valid while this object lives."""

    def __init__(self, object_code: bytes) -> None:
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(object_code))
        self._engine.finalize_object()

    def address(self, function: str) -> int:
        """Where ``function`` is."""
        return int(self._engine.get_function_address(function))


def _features() -> str:
    return str(llvm.get_host_cpu_features().flatten())


@cache
def _initialize() -> None:
    if llvm.llvm_version_info[0] < 20:  # newer llvmlite does this by itself
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target_machine() -> llvm.TargetMachine:
    _initialize()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=_features(), opt=OPTIMIZATION, jit=True
    )
