"""Calls of quantities in machine code do what the method does as it is written."""

from __future__ import annotations

import gc
import inspect
import sys

import numpy as np
import pytest
from robots import own_arm

import dyn_core
from dyn_core.codegen.provenance import is_ours
from dyn_core.execution import short_way
from dyn_core.execution.data import Data
from dyn_core.execution.python_entry import supported

STATE = list(np.random.default_rng(0).normal(size=(3, own_arm().nv)))


@pytest.fixture
def data() -> Data:
    """Of an arm whose inverse dynamics have been computed."""
    data = own_arm().create_data()
    dyn_core.rnea(own_arm(), data, *STATE)
    return data


def test_calls_are_machine_code_once_there_is_some(data: Data) -> None:
    if not supported() or sys.version_info < (3, 11):
        pytest.skip("this interpreter calls the method as it is written")
    assert inspect.ismethoddescriptor(vars(dyn_core.Quantity)["__call__"])
    assert is_ours(own_arm(), [dyn_core.rnea.request()])


def test_it_fills_and_returns_the_array_of_its_data(data: Data) -> None:
    expected = dyn_core.compile(own_arm(), ["rnea"])(*STATE)
    data.tau[:] = np.nan
    result = dyn_core.rnea(own_arm(), data, *STATE)
    assert result is data.tau
    assert (result == expected).all()


def test_arrays_by_name_other_data_and_new_arrays_are_as_ever(data: Data) -> None:
    q, v, a = STATE
    expected = data.tau.copy()
    assert (dyn_core.rnea(own_arm(), data, q, v=v, a=a) == expected).all()
    assert (dyn_core.rnea(own_arm(), own_arm().create_data(), *STATE) == expected).all()
    assert (dyn_core.rnea(own_arm(), *STATE) == expected).all()
    assert repr(dyn_core.rnea()) == "rnea()"
    assert repr(dyn_core.frame_jacobian("tool0")) == "frame_jacobian(frame='tool0')"

    class Own(Data):
        """Data of a user's own."""

    assert (dyn_core.rnea(own_arm(), Own(own_arm()), *STATE) == expected).all()


def test_the_method_of_a_quantity_may_be_taken_and_called_later(data: Data) -> None:
    """Nothing lies before its arguments then, where a call of the quantity has the quantity."""
    compute, expected = dyn_core.rnea.__call__, data.tau.copy()
    for arguments in ([own_arm(), data, *STATE], [own_arm(), *STATE]):
        assert (compute(*arguments) == expected).all()
        assert (next(map(compute, *([x] for x in arguments))) == expected).all()
    q, v, a = STATE
    assert (compute(own_arm(), data, q, v=v, a=a) == expected).all()
    assert repr(compute()) == "rnea()"


def test_data_without_bound_functions_go_the_patient_way(data: Data) -> None:
    expected = data.tau.copy()
    data.bound = None  # type: ignore[assignment]
    with pytest.raises(TypeError):
        dyn_core.rnea(own_arm(), data, *STATE)
    del data.bound
    assert (dyn_core.rnea(own_arm(), own_arm().create_data(), *STATE) == expected).all()
    assert (dyn_core.rnea(own_arm(), data, *STATE) == expected).all()


WRONG = {
    "too few": (lambda model, data: (model, data, *STATE[:2]), TypeError, "3 arrays"),
    "too short": (lambda model, data: (model, data, *STATE[:2], np.ones(5)), ValueError, "shape"),
    "no array": (lambda model, data: (model, data, *STATE[:2], None), TypeError, "array"),
    "data first": (lambda model, data: (data, model, *STATE), TypeError, ""),
    "model twice": (lambda model, data: (model, model, *STATE), TypeError, "given twice"),
    "no model": (lambda model, data: (None, data, *STATE), TypeError, ""),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_words(case: str, data: Data) -> None:
    arguments, error, words = WRONG[case]
    with pytest.raises(error, match=words):
        dyn_core.rnea(*arguments(own_arm(), data))


def test_data_of_another_robot_are_refused(data: Data) -> None:
    other = dyn_core.Model.from_urdf('<robot name="one"><link name="a"/></robot>')
    with pytest.raises(ValueError, match="data is of"):
        dyn_core.rnea(other, data, *STATE)


def test_what_is_forgotten_while_it_runs_lives_until_it_has_run(data: Data) -> None:
    def forget(*arrays: np.ndarray) -> str:
        data.bound.clear()
        gc.collect()
        return f"forgotten {len(arrays)}"

    data.bound[dyn_core.rnea] = forget
    del forget
    assert dyn_core.rnea(own_arm(), data, *STATE) == "forgotten 3"


def test_calls_outlive_the_module_that_opened_the_way(
    data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is loaded anew, or at the end of the process."""
    expected, written = data.tau.copy(), vars(dyn_core.Quantity)["__call__"]
    monkeypatch.setattr(short_way, "_OPENED", [])
    short_way.open_short_way(data)
    short_way._OPENED.clear()
    gc.collect()
    assert (dyn_core.rnea(own_arm(), data, *STATE) == expected).all()
    assert (dyn_core.rnea(own_arm(), *STATE) == expected).all()
    dyn_core.Quantity.__call__ = written  # type: ignore[method-assign]


def test_calls_leave_no_reference_behind(data: Data) -> None:
    things = (own_arm(), data, data.bound[dyn_core.rnea], dyn_core.rnea, *STATE)
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(1000):
        dyn_core.rnea(own_arm(), data, *STATE)
        with pytest.raises(TypeError):
            dyn_core.rnea(own_arm(), data)
    assert [sys.getrefcount(thing) for thing in things] == before


def test_its_signature_and_words_are_those_of_the_method(data: Data) -> None:
    assert [*inspect.signature(dyn_core.rnea).parameters] == ["model", "data", "arrays", "named"]
    assert "Compute it" in (dyn_core.Quantity.__call__.__doc__ or "")
