// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
// Inverse dynamics and the position of a hand by Pinocchio on CasADi's SX, for casadi_ocp.py.
// Reads of each revolute joint (about z, in a chain) its placement, mass, centre of mass and inertia
// about it, then the placement of the hand; writes rnea.casadi and hand.casadi.
#include <pinocchio/autodiff/casadi.hpp>
// First, as it has to be.
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <iostream>

using casadi::SX;

static double number() {
  double x;
  std::cin >> x;
  return x;
}

static pinocchio::SE3 placement() {
  Eigen::Matrix3d rotation;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) rotation(i, j) = number();
  Eigen::Vector3d translation;
  for (int i = 0; i < 3; ++i) translation(i) = number();
  return {rotation, translation};
}

int main() {
  pinocchio::Model model;
  const int joints = static_cast<int>(number());
  for (int i = 0; i < joints; ++i) {
    const auto where = placement();
    const auto joint =
        model.addJoint(i, pinocchio::JointModelRZ(), where, "joint" + std::to_string(i));
    const double mass = number();
    Eigen::Vector3d com;
    for (int k = 0; k < 3; ++k) com(k) = number();
    Eigen::Matrix3d inertia;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) inertia(r, c) = number();
    model.appendBodyToJoint(joint, pinocchio::Inertia(mass, com, inertia));
  }
  const auto hand = placement();

  const auto symbolic = model.cast<SX>();
  pinocchio::DataTpl<SX> data(symbolic);
  const SX q = SX::sym("q", joints), v = SX::sym("v", joints), a = SX::sym("a", joints);
  Eigen::Matrix<SX, Eigen::Dynamic, 1> eq(joints), ev(joints), ea(joints);
  for (int i = 0; i < joints; ++i) {
    eq(i) = q(i);
    ev(i) = v(i);
    ea(i) = a(i);
  }
  pinocchio::rnea(symbolic, data, eq, ev, ea);
  SX tau(joints, 1);
  for (int i = 0; i < joints; ++i) tau(i) = data.tau(i);
  casadi::Function("rnea", {q, v, a}, {tau}).save("rnea.casadi");

  pinocchio::forwardKinematics(symbolic, data, eq);
  const auto placed = data.oMi[joints] * hand.cast<SX>();
  SX position(3, 1);
  for (int i = 0; i < 3; ++i) position(i) = placed.translation()(i);
  casadi::Function("hand", {q}, {position}).save("hand.casadi");
}
