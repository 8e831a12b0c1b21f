# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF texts of the tests, one per feature of the format, small enough to be read."""

from __future__ import annotations

INERTIAL = '<inertial mass="2" pos=".1 .02 -.03" diaginertia=".03 .02 .025" quat=".9 .1 -.2 .3"/>'


def mjcf(world: str, before: str = "", after: str = "") -> str:
    """A file with this in its world, and sections before and after it."""
    return f'<mujoco model="m">{before}<worldbody>{world}</worldbody>{after}</mujoco>'


def body(name: str, inside: str, attributes: str = 'pos=".3 -.1 .2"') -> str:
    return f'<body name="{name}" {attributes}>{inside}</body>'


def link(name: str, joint: str, inside: str = "", attributes: str = 'pos=".3 -.1 .2"') -> str:
    """A body with an inertia and a joint."""
    return body(name, joint + INERTIAL + inside, attributes)


HINGE = '<joint name="{}" axis="0 1 0"/>'


def arm(more: str = "", attributes: str = "") -> str:
    """Two links; ``more`` is in the second, which has the ``attributes``."""
    second = link("b", HINGE.format("j2"), more, f'pos="0 .1 .4" {attributes}')
    return link("a", '<joint name="j1" axis="1 0 .2" pos="0 .1 0"/>', second)


def turned(attribute: str, compiler: str = "") -> str:
    """The arm with its second link, its inertial and a geom turned by an attribute."""
    inertial = f'<inertial mass="1" pos="0 0 .1" diaginertia=".03 .02 .025" {attribute}/>'
    third = body("c", HINGE.format("j3") + inertial, f'pos="0 0 .3" {attribute}')
    geom = f'<geom type="box" size=".1 .2 .3" pos=".1 0 0" {attribute}/>'
    fourth = body("d", HINGE.format("j4") + geom, 'pos=".2 0 0"')
    site = f'<site name="tip" pos=".1 .2 .3" {attribute}/>'
    return mjcf(arm(third + fourth + site, attribute), f"<compiler {compiler}/>")


def shaped(geom: str, compiler: str = "") -> str:
    """Two links, the second with the inertia of geoms."""
    inside = HINGE.format("j2") + geom + '<geom size=".1" mass="0"/>'
    return mjcf(link("a", HINGE.format("j1"), body("b", inside)), f"<compiler {compiler}/>")


ORIENTATIONS = {
    "half turn": turned('quat="0 0 1 0"'),
    "euler mixed": turned('euler=".2 -.5 1.3"', 'eulerseq="zYx" angle="radian"'),
    "zaxis": turned('zaxis=".2 -.5 .6"'),
}
SHAPES = {
    "sphere": shaped('<geom size=".2" pos=".1 0 0"/>'),
    "box": shaped('<geom type="box" size=".1 .2 .3" pos=".1 0 0" euler="10 20 30"/>'),
    "capsule": shaped('<geom type="capsule" size=".1 .2" pos=".1 0 0" zaxis="1 1 1"/>'),
    "cylinder": shaped('<geom type="cylinder" size=".1 .2" pos=".1 0 0" zaxis="1 1 1"/>'),
    "ellipsoid": shaped('<geom type="ellipsoid" size=".1 .2 .3" pos=".1 0 0" quat="1 2 3 4"/>'),
    "mass": shaped('<geom type="box" size=".1 .2 .3" pos=".1 0 0" mass="3"/>'),
    "density": shaped('<geom type="box" size=".1 .2 .3" pos=".1 0 0" density="300"/>'),
    "capsule fromto": shaped('<geom type="capsule" size=".1" fromto="0 .1 .2 .5 .4 .3"/>'),
    "several geoms": shaped('<geom size=".2"/><geom type="box" size=".1 .2 .3" pos="1 2 3"/>'),
    "geom in a frame": shaped(
        '<frame pos=".1 .2 .3" euler="10 20 30"><geom type="box" size=".1 .2 .3" pos=".4 0 0"/>'
        "</frame>"
    ),
    "group range": shaped(
        '<geom size=".2" group="3"/><geom size=".4" group="1" pos="1 0 0"/>',
        'inertiagrouprange="2 3"',
    ),
    "inertia of geoms only": mjcf(
        arm('<geom type="box" size=".1 .2 .3" pos=".2 0 0"/>'), '<compiler inertiafromgeom="true"/>'
    ),
    "meshes that do not matter": mjcf(
        arm('<geom type="mesh" mesh="m"/>')
        + body("c", HINGE.format("j3") + '<geom size=".1"/><geom type="mesh" mesh="m" mass="0"/>')
        + body("d", '<geom type="mesh" mesh="m"/>'),
        '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>',
    ),
}
INERTIAS = {
    "fullinertia": mjcf(
        body(
            "a",
            HINGE.format("j")
            + '<inertial mass="2" pos=".1 0 0" fullinertia=".03 .02 .025 .001 -.002 .003"/>',
        )
    ),
    "least mass and inertia": mjcf(
        arm(body("fixed", "", 'pos=".1 .2 .3" euler="10 20 30"')),
        '<compiler boundmass="3" boundinertia=".024"/>',
    ),
    "least inertia of fullinertia": mjcf(
        body(
            "a",
            HINGE.format("j")
            + '<inertial mass="2" pos=".1 0 0" fullinertia=".03 .02 .025 .001 -.002 .003"/>',
        ),
        '<compiler boundinertia=".024"/>',
    ),
    "balanced inertia": mjcf(
        body(
            "a", HINGE.format("j") + '<inertial mass="2" pos=".1 0 0" diaginertia=".03 .01 .005"/>'
        ),
        '<compiler balanceinertia="true"/>',
    ),
    "total mass": mjcf(arm(), '<compiler settotalmass="17"/>'),
}
JOINTS = {
    "hinge": mjcf(arm()),
    "hinge with ref": mjcf(link("a", '<joint name="j" ref="40" axis="1 2 3" pos=".1 .2 .3"/>')),
    "slide with ref": mjcf(
        link(
            "a",
            '<joint name="j" type="slide" ref=".4" axis="1 2 3" pos=".1 .2 .3"/>',
            link("b", HINGE.format("k")),
        )
    ),
    "ball": mjcf(arm(link("c", '<joint name="ball" type="ball" pos=".1 .2 .3"/>'))),
    "freejoint": mjcf(
        link("base", '<freejoint name="f"/>', arm(), 'pos=".3 -.1 .2" euler="10 20 30"')
    ),
    "free joint": mjcf(
        '<frame pos="1 2 3" euler="0 0 40">'
        + link("base", '<joint type="free" name="f" pos="4 5 6" damping="2"/>', arm())
        + "</frame>"
    ),
    "several joints": mjcf(
        link(
            "base",
            '<joint name="x" type="slide" axis="1 0 0" ref="1"/>'
            '<joint name="y" type="slide" axis="0 1 1" pos="1 2 3"/>'
            '<joint name="yaw" axis="0 0 1" pos=".1 .2 .3" ref="20"/>'
            '<joint name="pitch" axis="0 1 0" pos="-.1 .3 0"/>',
            arm(),
        )
    ),
    "slide, hinge and ball": mjcf(
        link(
            "base",
            '<joint name="x" type="slide" axis="1 0 0"/><joint name="h" pos=".3 0 0"/>'
            '<joint name="ball" type="ball" pos="0 .2 0"/>',
            arm(),
        )
    ),
    "joints in frames": mjcf(
        link(
            "base",
            '<frame pos=".1 .2 .3" euler="10 20 30"><joint name="h" pos=".3 0 0" axis="1 0 0"/>'
            '<frame pos="1 0 0" zaxis="1 1 1"><joint name="s" type="slide"/></frame></frame>',
            arm(),
        )
    ),
    "limits": mjcf(
        link(
            "a",
            '<joint name="a" range="-30 60" damping="2" frictionloss=".3" armature=".7"'
            ' actuatorfrcrange="-5 5"/>'
            '<joint name="b" range="-30 60" limited="false" actuatorfrcrange="-5 5"'
            ' actuatorfrclimited="false"/>'
            '<joint name="c" type="slide" range="-30 60" limited="true"/>',
            link("b", '<joint name="ball" type="ball" range="0 60" armature=".2" damping=".1"/>'),
        )
    ),
    "limits by name only": mjcf(
        link("a", '<joint name="a" range="-1 2" limited="true"/><joint name="b" limited="false"/>'),
        '<compiler autolimits="false" angle="radian"/>',
    ),
    "armature of actuators": mjcf(
        arm(),
        '<default><default class="geared"><motor gear="3" armature=".2"/></default></default>',
        '<actuator><motor joint="j1" class="geared"/><position joint="j1" armature=".1" kp="2"/>'
        '<motor jointinparent="j2" gear="2" armature=".3"/><velocity joint="j2"/></actuator>',
    ),
}
STRUCTURE = {
    "gravity": mjcf(arm(), '<option gravity="1 2 3"/>'),
    "no gravity": mjcf(arm(), '<option gravity="1 2 3"><flag gravity="disable"/></option>'),
    "order of joints": mjcf(
        body("z", link("c", HINGE.format("3")) + HINGE.format("1") + HINGE.format("2") + INERTIAL)
        + f"<frame>{link('y', HINGE.format('5'), link('x', HINGE.format('4')))}"
        f"<frame>{link('w', HINGE.format('0'))}</frame></frame>{link('v', HINGE.format('6'))}"
    ),
    "no names": mjcf(
        f"<body><freejoint/>{INERTIAL}<body><joint/><joint axis='1 0 0'/>{INERTIAL}</body></body>"
        f"<body name='body_4'><joint name='joint_4'/>{INERTIAL}"
        f"<body><joint axis='1 0 0'/>{INERTIAL}</body></body>"
    ),
    "fixed bodies": mjcf(
        '<geom type="plane" size="1 1 1"/><site name="origin"/><camera/><light/>'
        + body("base", INERTIAL + arm(body("tool", INERTIAL, 'pos="1 0 0" euler="10 20 30"')))
    ),
    "frames": mjcf(
        '<frame name="f" pos="1 0 0" axisangle="1 2 3 40">'
        f"{arm()}<frame euler='10 20 30'>{link('c', HINGE.format('j3'))}</frame></frame>"
    ),
    "inertial in a frame": mjcf(
        body("a", HINGE.format("j") + f'<frame pos="1 2 3" zaxis="1 1 1">{INERTIAL}</frame>')
        + body(
            "b",
            HINGE.format("k") + '<frame pos="1 2 3" zaxis="1 1 1"><inertial mass="2" pos=".1 0 0" '
            'fullinertia=".03 .02 .025 .001 -.002 .003"/></frame>',
        )
    ),
    "sites": mjcf(
        arm(
            '<site name="s" pos="1 2 3" euler="10 20 30"/><site name="t" type="capsule" size=".1"'
            ' fromto="0 0 0 1 2 3"/><frame pos="1 0 0" zaxis="1 0 0"><site name="u" pos="0 1 0"/>'
            "</frame>"
        )
    ),
    "keyframes": mjcf(
        link("a", "<freejoint/>", link("b", '<joint type="ball"/>', link("c", "<joint ref='9'/>"))),
        "",
        '<keyframe><key name="home" qpos="1 2 3 2 0 0 1 1 1 0 0 .5"/><key time="1"/>'
        '<key name="lazy" qpos="1 2 3 0 0 0 0 1 0 0 0 .5"/></keyframe>',
    ),
    "mocap": mjcf(
        body("m", INERTIAL + link("c", HINGE.format("j")), 'mocap="true" pos="1 2 3"') + arm()
    ),
    "replicate": mjcf(
        '<replicate count="3" offset="1 .2 0" euler="10 20 90">'
        + link("a", HINGE.format("j"), body("tip", INERTIAL) + '<site name="s" pos="1 0 0"/>')
        + "</replicate>"
    ),
    "nothing moves": mjcf(body("a", INERTIAL)),
}
CLASSES = """<default>
  <joint armature=".1" damping="1 0"/><geom type="box" size=".1 .2 .3" density="500"/>
  <default class="light"><geom density="50" size=".4"/><joint axis="1 0 0"/>
    <default class="round"><geom type="capsule" euler="10 20 30"/></default></default>
  <default class="slim"><joint type="slide" damping="3"/><geom quat="1 2 3 4"/></default>
</default>
<default><joint frictionloss=".5"/><default class="late"><joint armature="2"/></default></default>
"""
DEFAULTS = {
    "childclass": mjcf(
        body(
            "a",
            '<joint name="1"/><geom/>'
            + body("b", '<joint name="2"/><geom/>' + body("c", '<joint name="3"/><geom/>'))
            + body("d", '<joint name="4"/><geom/>', 'childclass="slim"')
            + '<frame childclass="round">'
            + body("e", '<joint name="5"/><geom/>')
            + "</frame>",
            'childclass="light"',
        )
        + '<frame childclass="slim"><frame><body name="f"><joint class="late" name="6"/><geom/>'
        "</body></frame></frame>",
        CLASSES,
    ),
    "freejoint has no defaults": mjcf(
        body("a", '<freejoint name="f"/><geom/>', 'childclass="late"'), CLASSES
    ),
}
FEATURES = ORIENTATIONS | SHAPES | INERTIAS | JOINTS | STRUCTURE | DEFAULTS
"""All that our reader and MuJoCo must read alike."""

MIMICRY = {
    "mimic": mjcf(
        link(
            "a",
            '<joint name="lead" ref="20" armature=".1" damping=".2" frictionloss=".3"/>',
            link("b", '<joint name="f" ref="-30" axis="1 0 0" armature=".4" damping=".5"/>')
            + link("c", '<joint name="g" type="slide" ref=".2" frictionloss=".6"/>'),
        )
        + link("d", HINGE.format("free")),
        "<default><equality solref='.01 1'/></default>",
        '<equality><joint joint1="f" joint2="lead" polycoef=".3 -2"/>'
        '<joint joint1="g" joint2="f" polycoef=".1 .5 0 0 0"/>'
        '<joint joint1="free" joint2="lead" active="false"/></equality>'
        '<keyframe><key name="home" qpos=".1 .2 .3 .4"/></keyframe>',
    ),
}
