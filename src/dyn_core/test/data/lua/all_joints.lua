-- Copyright 2026 the maintainers of dyn suite
-- SPDX-License-Identifier: Apache-2.0
-- A model of RBDL with each of its joints; all_joints.json has what RBDL computes of it.
local function body(m, s) return { mass = m, com = {0.01*s, -0.02, 0.03*s},
  inertia = {{0.02*s, 0.001, -0.002}, {0.001, 0.03*s, 0.003}, {-0.002, 0.003, 0.025*s}} } end
local c, s = math.cos(0.4), math.sin(0.4)
local turned = { r = {0.1, -0.2, 0.3}, E = {{c, s, 0.}, {-s, c, 0.}, {0., 0., 1.}} }
local u = {1/3, 2/3, 2/3}
return { gravity = {0.3, -1., -9.},
 points = {{ name = "tip", body = "hand", point = {0.1, 0.2, 0.3} }},
 local_frames = {{ name = "mark", body = "ball", r = {0, 0, 1}, E = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}} }},
 frames = {
  { name = "base", parent = "ROOT", body = body(3, 1.2), joint = {"JointTypeFloatingBase"}, joint_frame = turned },
  { name = "neck", parent = "base", body = body(1, 1.1), joint = {"JointTypeEulerXYZ"}, joint_frame = turned },
  { name = "eye", parent = "neck", body = body(0.2, 1.), joint = {"JointTypeEulerYXZ"}, joint_frame = turned },
  { name = "lid", parent = "eye", body = body(0.2, 1.), joint = {"JointTypeEulerZYX"}, joint_frame = turned },
  { name = "slab", parent = "base", body = body(0.9, 1.3), joint = {"JointTypeTranslationXYZ"}, joint_frame = turned },
  { name = "ball", parent = "slab", body = body(0.9, 1.3), joint = {"JointTypeSpherical"}, joint_frame = turned },
  { name = "arm", parent = "ball", body = body(1.9, 1.3), joint = {{u[1], u[2], u[3], 0, 0, 0}, {0, 0, 0, u[1], u[2], u[3]}}, joint_frame = turned },
  { name = "plate", parent = "arm", body = body(0.4, 1), joint_frame = turned },
  { name = "hand", parent = "plate", body = body(0.7, 1.3), joint = {{0, 0, 1, 0, 0, 0.1}, {1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 0}}, joint_frame = turned },
 } }
