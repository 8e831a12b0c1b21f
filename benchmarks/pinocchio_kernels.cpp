// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
// Pinocchio's algorithms as C functions of arrays, for models loaded at run time.
//
// The model comes from Python as a text archive, so that nothing here depends on how the library
// itself was compiled: all of Pinocchio that runs is in its headers.

#include <array>
#include <deque>
#include <string>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>

using Vector = Eigen::Map<const Eigen::VectorXd>;

struct Robot {
  pinocchio::Model model;
  pinocchio::Data data;
  Vector q(const double *x) const { return Vector(x, model.nq); }
  Vector v(const double *x) const { return Vector(x, model.nv); }
};

// Never destroyed. Boost has one loader of a type in a process: that of the library Pinocchio. Its
// Eigen allocates for the vectors of another processor than ours does, so that freeing at exit what
// it has read was a segmentation fault.
static std::deque<Robot> &robots = *new std::deque<Robot>;
static Robot *robot;

extern "C" int load(const char *archive) {
  robots.emplace_back();
  robots.back().model.loadFromText(archive);
  robots.back().data = pinocchio::Data(robots.back().model);
  return static_cast<int>(robots.size()) - 1;
}

extern "C" void choose(int number) { robot = &robots[number]; }

extern "C" void rnea(const double *q, const double *v, const double *a) {
  pinocchio::rnea(robot->model, robot->data, robot->q(q), robot->v(v), robot->v(a));
}

extern "C" void generalized_gravity(const double *q) {
  pinocchio::computeGeneralizedGravity(robot->model, robot->data, robot->q(q));
}

extern "C" void nonlinear_effects(const double *q, const double *v) {
  pinocchio::nonLinearEffects(robot->model, robot->data, robot->q(q), robot->v(v));
}

extern "C" void crba(const double *q) {
  pinocchio::crba(robot->model, robot->data, robot->q(q));
}

extern "C" void aba(const double *q, const double *v, const double *tau) {
  pinocchio::aba(robot->model, robot->data, robot->q(q), robot->v(v), robot->v(tau));
}

extern "C" void minverse(const double *q) {
  pinocchio::computeMinverse(robot->model, robot->data, robot->q(q));
}

extern "C" void rnea_derivatives(const double *q, const double *v, const double *a) {
  pinocchio::computeRNEADerivatives(robot->model, robot->data, robot->q(q), robot->v(v),
                                    robot->v(a));
}

extern "C" void aba_derivatives(const double *q, const double *v, const double *tau) {
  pinocchio::computeABADerivatives(robot->model, robot->data, robot->q(q), robot->v(v),
                                   robot->v(tau));
}

// What the dynamic filter of dyn_core.walking computes of samples of a walk, a row each. A leg is a
// frame, its foot, and six columns that follow each other.

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Six = Eigen::Map<const Vector6>;

static std::array<int, 2> feet, columns;
static std::array<pinocchio::Data::Matrix6x, 2> jacobians;

extern "C" void choose_legs(int left, int right, int left_column, int right_column) {
  feet = {left, right};
  columns = {left_column, right_column};
}

static Eigen::PartialPivLU<Matrix6> leg(int foot, const double *q) {
  auto &J = jacobians[foot];
  J.setZero(6, robot->model.nv);
  pinocchio::computeFrameJacobian(robot->model, robot->data, robot->q(q), feet[foot],
                                  pinocchio::LOCAL, J);
  return Eigen::PartialPivLU<Matrix6>(J.middleCols<6>(columns[foot]));
}

extern "C" void leg_steps(int samples, const double *q, const double *poses, double *ahead,
                          double *open) {
  const int nq = robot->model.nq;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(robot->model.nv);
  for (int k = 0; k < samples; ++k, q += nq, ahead += nq) {
    for (int foot = 0; foot < 2; ++foot, poses += 7, open += 6) {
      const auto inverse = leg(foot, q);
      const Eigen::Map<const Eigen::Quaterniond> turn(poses + 3);
      const pinocchio::SE3 there(turn.matrix(), Eigen::Vector3d(poses[0], poses[1], poses[2]));
      const Vector6 error = pinocchio::log6(robot->data.iMf[0].actInv(there)).toVector();
      step.segment<6>(columns[foot]) = inverse.solve(error);
      Eigen::Map<Vector6>(open, 6) = error;
    }
    Eigen::Map<Eigen::VectorXd> next(ahead, nq);
    pinocchio::integrate(robot->model, robot->q(q), step, next);
  }
}

extern "C" void leg_motions(int samples, const double *q, const double *base_velocity,
                            const double *base_acceleration, const double *velocities,
                            const double *accelerations, double *v_rows, double *a_rows) {
  const auto &model = robot->model;
  std::array<Eigen::PartialPivLU<Matrix6>, 2> inverse;
  for (int k = 0; k < samples; ++k, q += model.nq, velocities += 12, accelerations += 12) {
    Eigen::Map<Eigen::VectorXd> v(v_rows + k * model.nv, model.nv);
    Eigen::Map<Eigen::VectorXd> a(a_rows + k * model.nv, model.nv);
    v.setZero();
    a.setZero();
    v.head<6>() = Six(base_velocity + 6 * k);
    a.head<6>() = Six(base_acceleration + 6 * k);
    for (int foot = 0; foot < 2; ++foot) {
      inverse[foot] = leg(foot, q);
      const Vector6 carried = jacobians[foot].leftCols<6>() * v.head<6>();
      v.segment<6>(columns[foot]) = inverse[foot].solve(Six(velocities + 6 * foot) - carried);
    }
    pinocchio::forwardKinematics(model, robot->data, robot->q(q), v, a);
    for (int foot = 0; foot < 2; ++foot) {
      const auto carried = pinocchio::getFrameAcceleration(model, robot->data, feet[foot]);
      const Vector6 rest = Six(accelerations + 6 * foot) - carried.toVector();
      a.segment<6>(columns[foot]) = inverse[foot].solve(rest);
    }
  }
}

extern "C" void rneas(int samples, const double *q, const double *v, const double *a, double *tau) {
  const auto &model = robot->model;
  for (; samples--; q += model.nq, v += model.nv, a += model.nv, tau += model.nv)
    Eigen::Map<Eigen::VectorXd>(tau, model.nv) =
        pinocchio::rnea(model, robot->data, robot->q(q), robot->v(v), robot->v(a));
}
