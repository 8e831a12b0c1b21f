# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Oddities of public robots: ignored with a note where they mean nothing, else refused."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin
import pytest
from test_urdf import INERTIAL, LIMIT, PENDULUM, joint, link, robot, swap

from dyn_core import Model, ModelError
from dyn_core.geometry import Kind, geometry_from_urdf

ZEROLESS = INERTIAL.replace('ixy="0" ixz="0" ', "").replace('iyz="0" ', "")


def beside(element: str) -> str:
    """The pendulum with one more element beside its links and joints."""
    return swap("</robot>", element + "</robot>")


WEIGHTLESS = [
    swap('<link name="bob">', '<link name="bob" gravity="false">'),
    swap('<link name="bob">', '<link name="bob" gravity="0">'),
    beside('<mujoco><option gravity="0 0 0"/></mujoco>'),
    beside('<gazebo reference="bob"><gravity>False</gravity></gazebo>'),
    beside('<gazebo reference="bob"><gravity>0.0</gravity></gazebo>'),
]
ODD = {
    "a stray character (Unitree B1)": (swap("</joint>", "</joint> - "), "the text '-' in <robot>"),
    "a camera's optics (PAL Talos)": (
        swap("</joint>", '<optical_origin xyz="0 0 1" rpy="0 1 0"/></joint>'),
        "joint 'hinge': <optical_origin> in <joint> is ignored",
    ),
    "a shape that is not convex (Bullet)": (
        swap('<link name="base">', '<link name="base" concave="yes">'),
        "link 'base': concave= of <link> is ignored",
    ),
    "an inertia with a name (K-Bot)": (
        swap("<inertial>", '<inertial name="i">'), "name= of <inertial> is ignored",
    ),
    "an extension that concerns no dynamics": (
        swap("</link>", '<drake:sound x="1"/></link>'),
        "link 'base', link 'bob': the extension <sound> is ignored",
    ),
    "an unknown name in a shape, which geometry does not read": (
        swap("</link>", '<collision><orgin xyz="0 0 1"/></collision></link>'),
        "link 'base', link 'bob': orgin in <collision> is unknown, and ignored",
    ),
    "a link without weight in Gazebo": (
        beside('<gazebo reference="bob"><turnGravityOff>true</turnGravityOff></gazebo>'),
        "gazebo 'bob': turnGravityOff in <gazebo> .* all links have weight",
    ),
    "a spring of Gazebo": (
        beside('<gazebo reference="hinge"><springStiffness>5</springStiffness></gazebo>'),
        "gazebo 'hinge': springStiffness in <gazebo> .* spring_stiffness= of the joint's",
    ),
    "a fluid around links of Gazebo": (
        beside('<gazebo reference="bob"><dampingFactor>0.1</dampingFactor></gazebo>'),
        "gazebo 'bob': dampingFactor in <gazebo> .* joints alone have damping",
    ),
    "a joint that a plug-in of Gazebo moves": (
        beside("<gazebo><plugin><joint>hinge</joint><mimicJoint>other</mimicJoint></plugin>"
               "</gazebo>"),
        "mimicJoint in <gazebo> .* a joint follows another by its own <mimic>",
    ),
    "a wall in MuJoCo": (
        beside('<mujoco><option gravity="0 -9.81 0"/></mujoco>'),
        "gravity in <mujoco> .* Model.with_gravity",
    ),
    "wind in MuJoCo": (
        beside('<mujoco><option wind="1 0 0"/></mujoco>'), "wind in <mujoco> .* from MJCF",
    ),
    "inertias that MuJoCo changes": (
        beside('<mujoco><compiler balanceinertia="true"/></mujoco>'),
        "balanceinertia in <mujoco> .* inertias that MuJoCo computes",
    ),
    "a joint of Gazebo, which closes a loop": (
        beside('<gazebo><joint name="l"><parent>base</parent><child>bob</child></joint>'
               "</gazebo>"),
        "joint 'l': a joint in <gazebo> is not read; close loops with Model.with_loop",
    ),
    "a rotor in ros2_control": (
        beside('<ros2_control name="c"><joint name="hinge"><param name="rotor_inertia">1e-4'
               "</param></joint></ros2_control>"),
        "ros2_control 'c': rotor_inertia in <ros2_control> .* armature= of the joint's <dynamics>",
    ),
    "a rotor of Drake's where Drake does not look": (
        beside('<ros2_control name="c"><drake:rotor_inertia value="1e-4"/></ros2_control>'),
        "ros2_control 'c': rotor_inertia in <ros2_control> .* armature= of the joint's <dynamics>",
    ),
    "inertia that Bullet scales": (
        swap("</link>", '<contact><inertia_scaling value="3.0"/></contact></link>'),
        "link 'base', link 'bob': inertia_scaling in <contact> .* scaled inertia into the link",
    ),
    "a total mass that MuJoCo sets": (
        beside('<mujoco><compiler settotalmass="20" inertiafromgeom="auto"/></mujoco>'),
        "the robot: settotalmass in <mujoco> is for other tools",
    ),
    **{
        f"gravity that is switched off for another tool, {k}": (
            text,
            "gravity in <.*> is for other tools, and not read",
        )
        for k, text in enumerate(WEIGHTLESS)
    },
    "no products of inertia (Roboschool)": (
        PENDULUM.replace(INERTIAL, ZEROLESS, 1),
        "link 'base': <inertia> has no ixy, ixz, iyz, read as 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_what_has_no_influence_on_dynamics_is_ignored_with_a_note(case: str) -> None:
    text, note = ODD[case]
    with pytest.warns(UserWarning, match="^URDF: .*" + note) as reported:
        model = Model.from_urdf(text)
    assert len(reported) == 1
    assert model.fingerprint == Model.from_urdf(PENDULUM).fingerprint


@pytest.mark.parametrize("kind", ["continuous", "planar", "floating"])
def test_the_range_of_a_joint_without_end_is_ignored_with_a_note(kind: str) -> None:
    """MIT's racecar limits the angles of steering joints that are continuous."""
    text = PENDULUM.replace("revolute", kind).replace(LIMIT, LIMIT + '<axis xyz="0 0 1"/>')
    with pytest.warns(UserWarning, match="^URDF: joint 'hinge': lower= and upper= of <limit>"):
        model = Model.from_urdf(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = Model.from_urdf(text.replace('lower="-1" upper="2"', 'lower="0" upper="0"'))
    assert model.fingerprint == same.fingerprint


def test_what_many_links_have_is_reported_once() -> None:
    links = [link(f"l{k}").replace("</link>", "<optical_origin/></link>") for k in range(6)]
    joints = [joint(f"j{k}", "revolute", f"l{k}", f"l{k + 1}") for k in range(5)]
    with pytest.warns(
        UserWarning, match="link 'l0', link 'l1', link 'l2' and 3 more: "
    ) as reported:
        Model.from_urdf(robot(*links, *joints))
    assert len(reported) == 1


def test_an_axis_that_is_turned_is_refused_but_by_nothing() -> None:
    """Tutorials of Gazebo give axes an rpy, which all readers drop."""
    turned = swap(LIMIT, LIMIT + '<axis xyz="1 0 0" rpy="0 0 0"/>')
    with pytest.warns(UserWarning, match="joint 'hinge': rpy= of <axis> is ignored") as reported:
        assert Model.from_urdf(turned).fingerprint == Model.from_urdf(PENDULUM).fingerprint
    assert len(reported) == 1
    with pytest.raises(ModelError, match=r"joint 'hinge': rpy='0 0 1' of <axis>: '0 0 1' has no"):
        Model.from_urdf(turned.replace('rpy="0 0 0"/', 'rpy="0 0 1"/'))


def test_a_robot_that_is_turned_is_refused() -> None:
    """Gravity would come from elsewhere; no reader of URDF looks there."""
    turned = beside('<origin xyz="0 0 0.3" rpy="0 1.57 0"/>')
    with pytest.raises(
        ModelError, match=r"<origin> in <robot>: '0 1.57 0' has .*ignore=\('origin'"
    ):
        Model.from_urdf(turned)
    with pytest.warns(UserWarning, match="<origin> in <robot> is ignored"):
        Model.from_urdf(turned, ignore=["origin"])


def test_products_of_inertia_may_be_given_in_both_orders() -> None:
    """Movo and FT 300 do; one that differs from its twin is refused."""
    once = PENDULUM.replace('ixy="0"', 'ixy="0.1"', 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        twice = Model.from_urdf(once.replace('ixy="0.1"', 'ixy="0.1" iyx="0.10"'))
    assert twice.fingerprint == Model.from_urdf(once).fingerprint
    with pytest.raises(ModelError, match=r"link 'base': iyx='0.2' of <inertia>.*write it as ixy"):
        Model.from_urdf(once.replace('ixy="0.1"', 'ixy="0.1" iyx="0.2"'))


def test_gazebos_usual_settings_are_silent() -> None:
    """Those of Gazebo, Bullet and MuJoCo that leave the dynamics as they are."""
    text = swap(
        "</robot>",
        '<gazebo reference="bob"><mu1>0.9</mu1><kp>1e6</kp><turnGravityOff>false</turnGravityOff>'
        "<gravity>1</gravity><springStiffness>0.0</springStiffness><implicitSpringDamper>1"
        '</implicitSpringDamper><selfCollide>true</selfCollide></gazebo><gazebo><plugin name="p" '
        'filename="x.so"><gravity>0 0 -9.81</gravity></plugin></gazebo></robot>',
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model.from_urdf(text)


def test_all_unknown_names_are_refused_at_once_with_ways_to_leave_them_out() -> None:
    text = swap("</joint>", '<blob a="1"/></joint>').replace("</link>", "<lump/></link>")
    with pytest.raises(ModelError, match=r"<lump> in <link>.*<blob> in <joint>") as refusal:
        Model.from_urdf(text)
    for way in ("ignore=('lump', 'blob',)", "--ignore lump,blob", "ignore: [lump, blob]"):
        assert way in str(refusal.value)
    with pytest.warns(UserWarning, match="blob"):
        Model.from_urdf(text, ignore=("lump", "blob"))


UNKNOWN = {
    "element": ("blob", swap("</link>", "<blob/></link>"), "link 'base'.*: <blob> in <link>"),
    "attribute": ("viscous", swap(LIMIT, LIMIT + '<dynamics viscous="1"/>'), "viscous= of <dyn"),
    "extension": (
        "rotor_inertia",
        swap("</joint>", '<drake:rotor_inertia value="3"/></joint>').replace(
            "<robot", '<robot xmlns:drake="http://drake.mit.edu"'
        ),
        "joint 'hinge': <rotor_inertia> in <joint> is ignored",
    ),
}


def test_an_undeclared_prefix_counts_as_one() -> None:
    """As in public files of UR's and Robotiq's; an extension that acts is refused as ever."""
    limit = LIMIT.replace("<limit", '<limit drake:acceleration="2.5"')
    group = "<drake:collision_filter_group><drake:member/></drake:collision_filter_group>"
    text = swap(LIMIT, limit).replace("</robot>", f"{group}</robot>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Model.from_urdf(text)
    assert model.traced.fingerprint == Model.from_urdf(PENDULUM).traced.fingerprint
    with pytest.raises(ModelError, match="<rotor_inertia> changes the dynamics"):
        Model.from_urdf(text.replace("</joint>", '<drake:rotor_inertia value="3"/></joint>'))
    with pytest.raises(ModelError, match=r"not well-formed XML: .* line 1"):
        Model.from_urdf(text[:-3])


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_is_named_is_ignored_with_a_note(case: str) -> None:
    name, text, note = UNKNOWN[case]
    with pytest.raises(ModelError, match=rf"ignore=\('{name}',\)"):
        Model.from_urdf(text)
    with pytest.warns(UserWarning, match=note):
        model = Model.from_urdf(text, ignore=(name,))
    assert model.fingerprint == Model.from_urdf(PENDULUM).fingerprint
    with pytest.warns(UserWarning, match=note):
        Model.from_urdf(text, ignore=name)


def test_an_axis_without_direction_counts_at_joints_that_have_one() -> None:
    """Pioneer 3-DX: <axis xzy="0 0 1"/> of a fixed joint, and the hint is to ignore that name."""
    text = swap(LIMIT, LIMIT + '<axis xzy="0 0 1"/>')
    with pytest.warns(UserWarning, match="xzy= of <axis> is ignored"):
        Model.from_urdf(text.replace("revolute", "fixed"), ignore=["xzy"])
    with (
        pytest.raises(ModelError, match="joint 'hinge': <axis> has no xyz; give a direction"),
        pytest.warns(UserWarning, match="xzy= of <axis> is ignored"),
    ):
        Model.from_urdf(text, ignore=["xzy"])


def test_what_is_read_cannot_be_ignored() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Model.from_urdf(PENDULUM, ignore=["origin", "limit", "inertia", "lower"])
    assert model.difference(Model.from_urdf(PENDULUM)) == ""


QUATERNION = robot(
    link("a", INERTIAL.replace('xyz="0.1 0 0"', 'xyz="0.1 0 0" quat_xyzw="0 2 0 1"')),
    link("b", INERTIAL.replace('ixx="1"', 'ixx="1.5"').replace(
        'xyz="0.1 0 0"', 'xyz="0.1 0 0" quat_xyzw="0.5 -0.1 0.3 0.7"')),
    joint("j", "revolute", "a", "b", LIMIT + '<origin xyz="1 2 3" quat_xyzw="0 0 0.6 0.8"/>'),
).replace("<robot", '<robot version="1.2"')  # fmt: skip


def test_orientations_as_quaternions_are_pinocchios() -> None:
    model, theirs = Model.from_urdf(QUATERNION), pin.buildModelFromXML(QUATERNION)
    rotation = np.array(model.joint_placements[1].homogeneous())[:3, :3]
    assert rotation == pytest.approx(theirs.jointPlacements[1].rotation, abs=1e-15)
    assert rotation[0, 1] == pytest.approx(-0.96)
    expected = pin.Inertia(theirs.inertias[1]).toDynamicParameters()
    mine = model.inertias[1].parameters
    assert np.array(mine, dtype=np.float64) == pytest.approx(expected, abs=1e-14)


def test_shapes_are_turned_by_quaternions_too() -> None:
    shape = '<collision><origin quat_xyzw="0 0 3 4"/><geometry><box size="1 1 1"/></geometry>'
    text = QUATERNION.replace("</link>", f"{shape}</collision></link>", 1)
    (box,) = geometry_from_urdf(Model.from_urdf(text), text, Kind.COLLISION).objects
    assert box.placement.rotation.rows[0].x == pytest.approx(0.28)


def test_accelerations_and_jerks_are_limits_of_the_model() -> None:
    text = swap(LIMIT, LIMIT.replace("/>", ' acceleration="5" jerk="6" deceleration="7"/>'))
    model = Model.from_urdf(text)
    assert (model.acceleration_limit.tolist(), model.jerk_limit.tolist()) == ([5.0], [6.0])
    without = Model.from_urdf(PENDULUM)
    assert (without.acceleration_limit.tolist(), without.jerk_limit.tolist()) == ([np.inf],) * 2
    assert model.traced.fingerprint == without.traced.fingerprint
    assert "limits" in model.difference(without)
