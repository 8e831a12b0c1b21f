// Pinocchio's algorithms as C functions of arrays, for models loaded at run time.
//
// The model comes from Python as a text archive, so that nothing here depends on how the library
// itself was compiled: all of Pinocchio that runs is in its headers.

#include <deque>
#include <string>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
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

static std::deque<Robot> robots;
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
