# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Broken MJCF: a Model that MuJoCo agrees with or a worded error, never anything else."""

from __future__ import annotations

import contextlib
import copy
import random
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import mujoco
import numpy as np
import pytest
from mjcf_files import FEATURES, MIMICRY
from mujoco_model import configuration, dynamics, random_states, velocity_map
from test_mjcf_forces import FORCES

import dyn_core
from dyn_core import Model, ModelError

pytestmark = pytest.mark.thorough

MUTATIONS = 500
HUGE = "1e300"
"""A number whose square MuJoCo cannot hold: not to be compared."""
WORDS = ("nan", "inf", "-1", "0", HUGE, "1e-300", "x", "", "1_0", "1 2", "0 0 0", "true", "-.5")


def elements(root: ET.Element) -> list[tuple[ET.Element, ET.Element]]:
    """All elements but the root, each with the one around it; there is always one."""
    if not len(root):
        ET.SubElement(root, "worldbody")
    return [(parent, child) for parent in root.iter() for child in parent]


def described(root: ET.Element, dice: random.Random) -> ET.Element:
    """An element with attributes; the root gets one if there is no other."""
    root.attrib.setdefault("model", "m")
    return dice.choice([element for element in root.iter() if element.attrib])


def delete_element(root: ET.Element, dice: random.Random) -> None:
    parent, child = dice.choice(elements(root))
    parent.remove(child)


def double_element(root: ET.Element, dice: random.Random) -> None:
    parent, child = dice.choice(elements(root))
    parent.insert(dice.randrange(len(parent) + 1), copy.deepcopy(child))


def move_element(root: ET.Element, dice: random.Random) -> None:
    parent, child = dice.choice(elements(root))
    parent.remove(child)
    dice.choice(list(root.iter())).append(child)


def rename_element(root: ET.Element, dice: random.Random) -> None:
    _, child = dice.choice(elements(root))
    child.tag = dice.choice([element.tag for element in root.iter()] + ["blob"])


def delete_attribute(root: ET.Element, dice: random.Random) -> None:
    element = described(root, dice)
    del element.attrib[dice.choice(sorted(element.attrib))]


def rename_attribute(root: ET.Element, dice: random.Random) -> None:
    element = described(root, dice)
    names = [*sorted({name for e in root.iter() for name in e.attrib}), "blob"]
    element.set(dice.choice(names), element.attrib.pop(dice.choice(sorted(element.attrib))))


def change_word(root: ET.Element, dice: random.Random) -> None:
    element = described(root, dice)
    name = dice.choice(sorted(element.attrib))
    words = element.attrib[name].split() or [""]
    words[dice.randrange(len(words))] = dice.choice(WORDS)
    element.set(name, " ".join(words))


CHANGES = (
    delete_element,
    double_element,
    move_element,
    rename_element,
    delete_attribute,
    rename_attribute,
    change_word,
    change_word,
)


def garbled(text: str, dice: random.Random) -> str:
    """The text with a few characters gone or changed, mostly no XML any more."""
    place = dice.randrange(len(text))
    return text[:place] + dice.choice(["", "<", '"', "9", "-", "\0", "é"]) + text[place + 1 :]


def mutations(count: int) -> Iterator[str]:
    """Texts of the tests after one to three changes, always the same."""
    dice = random.Random(20)
    texts = [*FEATURES.values(), *MIMICRY.values(), *FORCES.values()]
    for number in range(count):
        text = dice.choice(texts)
        if number % 10 == 0:
            yield garbled(text, dice)
            continue
        root = ET.fromstring(text)
        for _ in range(dice.randint(1, 3)):
            dice.choice(CHANGES)(root, dice)
        yield ET.tostring(root, encoding="unicode")


def read(text: str) -> Model | None:
    with contextlib.suppress(ModelError):
        return Model.from_mjcf(text, mimic=False)
    return None


def oracle_of(text: str) -> mujoco.MjModel | None:
    try:
        return mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return None


def assert_agree(model: Model, oracle: mujoco.MjModel, text: str) -> None:
    assert (model.nq, model.nv) == (oracle.nq, oracle.nv), text
    for qpos, v in random_states(oracle, 1):
        data, M, bias = dynamics(oracle, qpos, v)
        q = configuration(oracle, qpos).tolist()
        if not (np.isfinite(M).all() and np.isfinite(bias).all() and model.nv):
            continue
        scale = max(np.abs(bias).max(), np.abs(M).max())
        own_M = np.array(dyn_core.crba.define(model, q), dtype=np.float64)
        own_bias = np.array(
            dyn_core.nonlinear_effects.define(model, q, v.tolist()), dtype=np.float64
        )
        assert np.abs(own_M - M).max() <= 1e-9 * np.abs(M).max(), text
        assert np.abs(own_bias - bias).max() <= 1e-9 * scale, text
        has_friction = oracle.dof_frictionloss.any() or oracle.tendon_frictionloss.any()
        if not has_friction:  # which is a constraint to MuJoCo
            by_drives = oracle.jnt_actgravcomp[oracle.dof_jntid] * data.qfrc_gravcomp
            passive = velocity_map(oracle, qpos).T @ (data.qfrc_passive + by_drives)
            own = np.array(dyn_core.passive_efforts.define(model, q, v.tolist()), dtype=float)
            assert np.abs(own - passive).max() <= 1e-8 * max(1.0, np.abs(passive).max()), text


def test_mutations_give_a_model_or_words() -> None:
    read_well = agreed = 0
    for text in mutations(MUTATIONS):
        model = read(text)
        if model is None:
            continue
        read_well += 1
        numbers = [x for inertia in model.inertias for x in inertia.parameters]
        assert np.isfinite(numbers).all(), text
        oracle = oracle_of(text)
        if oracle is not None and HUGE not in text:
            assert_agree(model, oracle, text)
            agreed += 1
    assert read_well > MUTATIONS / 10, "mutations so wild that they test nothing"
    assert agreed > MUTATIONS / 10
    assert read_well < MUTATIONS * 9 / 10, "mutations so tame that they test nothing"
