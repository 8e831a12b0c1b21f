# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""xacro files: macros, includes and arguments; messages of wrong ones."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

from dyn_core import Model, ModelError

LEG = """<?xml version="1.0"?>
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="leg" params="side:=left reflect *origin">
    <link name="${side}_leg"><xacro:insert_block name="origin_of_mass"/></link>
    <joint name="${side}_hip" type="revolute">
      <xacro:insert_block name="origin"/>
      <parent link="base"/><child link="${side}_leg"/>
      <axis xyz="0 ${reflect} 0"/>
      <limit lower="-1" upper="${pi / 2}" velocity="1" effort="1"/>
    </joint>
  </xacro:macro>
</robot>
"""
ROBOT = """<?xml version="1.0"?>
<robot name="walker" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="2"/>
  <xacro:arg name="legs" default="true"/>
  <xacro:property name="width" value="0.3"/>
  <xacro:property name="origin_of_mass">
    <inertial>
      <mass value="$(arg mass)"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </xacro:property>
  <xacro:include filename="parts/leg.xacro"/>
  <link name="base"/>
  <xacro:if value="$(arg legs)">
    <xacro:leg reflect="1"><origin xyz="0 ${width / 2} 0"/></xacro:leg>
    <xacro:leg side="right" reflect="-1"><origin xyz="0 ${-width / 2} 0"/></xacro:leg>
  </xacro:if>
</robot>
"""


@pytest.fixture
def walker(tmp_path: Path) -> Path:
    """A xacro file in a folder with a space, which includes another one."""
    pytest.importorskip("xacro")
    folder = tmp_path / "my robot"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "leg.xacro").write_text(LEG)
    path = folder / "walker.urdf.xacro"
    path.write_text(ROBOT)
    return path


def test_macros_and_includes_are_expanded(walker: Path) -> None:
    model = Model.from_urdf(walker)
    assert (model.name, model.names[1:]) == ("walker", ("left_hip", "right_hip"))
    assert [entry.placement.translation.y for entry in model.tree[1:]] == [0.15, -0.15]
    assert [list(joint.axis) for joint in model.joints[1:]] == [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]
    assert model.upper_position_limit.tolist() == [pytest.approx(1.5707963267948966)] * 2
    assert model.inertias[1].mass == 2.0


def test_arguments_reach_the_file_and_the_path_may_be_text(
    walker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Model.from_urdf(str(walker), xacro_args={"mass": "3"}).inertias[2].mass == 3.0
    assert Model.from_urdf(walker, xacro_args={"legs": "false"}).njoints == 1
    assert Model.from_urdf(walker).inertias[2].mass == 2.0, "arguments of before are forgotten"
    monkeypatch.chdir(walker.parent)
    assert Model.from_urdf("walker.urdf.xacro").njoints == 3


def test_an_unused_argument_is_a_warning(walker: Path) -> None:
    with pytest.warns(UserWarning, match="asks for no argument 'mas'; ignored"):
        Model.from_urdf(walker, xacro_args={"mas": "3"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model.from_urdf(walker, xacro_args={"mass": "3"})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("</robot>", "", r"expand '.*walker.urdf.xacro': .*line \d+, column \d+"),
        ("parts/leg.xacro", "nose.xacro", r"walker.urdf.xacro'.*nose.xacro"),
        ("$(arg mass)", "$(arg weight)", "Undefined substitution argument weight"),
        ("${width / 2}", "${width / }", "when evaluating expression 'width / '"),
        ("${width / 2}", "${depth / 2}", "'depth' is not defined"),
        ("${width / 2}", "${width / 0}", "division by zero"),
        (' reflect="1"', "", r"Undefined parameters \[reflect\]"),
        ("<xacro:leg ", "<xacro:arm ", "unknown macro name: xacro:arm|mismatched tag"),
        ("parts/leg.xacro", "walker.urdf.xacro", "includes itself without end"),
    ],
)
def test_what_xacro_cannot_expand_is_refused_by_the_files_name(
    walker: Path, old: str, new: str, words: str
) -> None:
    assert old in ROBOT
    walker.write_text(ROBOT.replace(old, new))
    with pytest.raises(ModelError, match=words):
        Model.from_urdf(walker)


def test_an_error_in_an_included_file_names_that_file(walker: Path) -> None:
    (walker.parent / "parts" / "leg.xacro").write_text(LEG.replace("</robot>", ""))
    with pytest.raises(ModelError, match=r"'.*walker.urdf.xacro', in '.*leg.xacro': no element"):
        Model.from_urdf(walker)


def test_packages_are_found_by_ros_only(walker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walker.write_text(ROBOT.replace("parts/leg.xacro", "$(find nowhere_description)/leg.xacro"))
    for name in [name for name in sys.modules if name.startswith("ament_index_python")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ament_index_python", None)
    with pytest.raises(ModelError, match=r"\$\(find PACKAGE\) needs.*sed -i"):
        Model.from_urdf(walker)


@pytest.mark.parametrize("path", [None, "/nowhere"])
def test_packages_are_not_found_where_ros_is_not_sourced_or_has_them_not(
    walker: Path, monkeypatch: pytest.MonkeyPatch, path: str | None
) -> None:
    pytest.importorskip("ament_index_python", reason="ROS 2 is not installed")
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    if path:
        monkeypatch.setenv("AMENT_PREFIX_PATH", path)
    named = "nowhere_description" if path else "PACKAGE"
    walker.write_text(ROBOT.replace("parts/leg.xacro", "$(find nowhere_description)/leg.xacro"))
    with pytest.raises(ModelError, match=rf"\$\(find {named}\) needs.*sed -i"):
        Model.from_urdf(walker)


def test_what_xacro_expands_is_checked_as_any_urdf(walker: Path) -> None:
    with pytest.raises(ModelError, match=r"link 'left_leg': mass -1\.0 kg is negative"):
        Model.from_urdf(walker, xacro_args={"mass": "-1"})


def test_a_missing_file_and_text_with_xacro_elements_are_refused(walker: Path) -> None:
    with pytest.raises(ModelError, match=r"expand '.*nose.xacro': No such file"):
        Model.from_urdf(walker.parent / "nose.xacro")
    with pytest.raises(ModelError, match=r"still holds xacro .* whose name ends with .xacro"):
        Model.from_urdf(ROBOT)


def test_without_xacro_the_error_names_what_to_install(
    walker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(ModelError, match=r"walker.urdf.xacro.*the extra 'xacro'"):
        Model.from_urdf(walker)


def test_arguments_for_a_plain_urdf_and_what_is_no_mapping_are_refused(walker: Path) -> None:
    for arguments in ("mass:=3", ["mass:=3"]):
        with pytest.raises(ModelError, match=r"xacro_args is .*: write {'name': 'value'}"):
            Model.from_urdf(walker, xacro_args=arguments)
    plain = walker.with_name("walker.urdf")
    plain.write_text("<robot name='r'><link name='a'/></robot>")
    for source in (plain, plain.read_text()):
        with pytest.raises(ModelError, match=r"xacro_args are for the path of a \.xacro file"):
            Model.from_urdf(source, xacro_args={"mass": "1"})
        assert Model.from_urdf(source).njoints == 1
