// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#if __has_include(<inverse_dynamics_solver/inverse_dynamics_solver.hpp>)
#include <inverse_dynamics_solver/exceptions.hpp>
#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#else  // versions before 1.0
#include <inverse_dynamics_solver/exceptions.h>
#include <inverse_dynamics_solver/inverse_dynamics_solver.h>
#endif

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "dyn_controllers/codegen.hpp"
#include "dyn_controllers/model.hpp"
#include "dyn_controllers/dyn_controllers_effort_controller_parameters.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers
{
using Eigen::MatrixXd;
using Eigen::VectorXd;
using rclcpp::node_interfaces::NodeParametersInterface;

/// Terms of tau = M(q) a + C(q, v) v + g(q) + friction(v), for users of inverse_dynamics_solver.
///
/// All of them are of one function: the columns of M are its efforts for unit accelerations without
/// gravity and velocity. Parameters are those of the controllers with the same names, `joints`,
/// `kernel`, `codegen_command` and `gravity`, in the namespace; vectors have the order of `joints`.
/// Other joints of the robot stay at zero.
class InverseDynamicsSolver : public inverse_dynamics_solver::InverseDynamicsSolver
{
public:
  /// \throws inverse_dynamics_solver::InvalidParameterValueException the description, the object or
  ///   a parameter does not fit; the message says what.
  void initialize(
    NodeParametersInterface::ConstSharedPtr parameters, const std::string & name_space,
    const std::string & description) override
  {
    try {
      auto given = values(parameters.get(), name_space);
      const auto object = loaded(given, text_of(parameters.get(), description));
      rigid_ = std::make_unique<Model>(object);
      friction_ = std::make_unique<Model>(object);
      rigid_->use("rnea");
      friction_->use("friction_efforts", -1.0);
      if (!rigid_->gravity_is_input)
        throw std::invalid_argument(
          "the object has gravity as a constant: write it with --inputs gravity");
      gravity_ = rigid_->gravity;
      if (!given.gravity.empty()) {
        const auto objection = objection_to_gravity(given.gravity);
        if (!objection.empty()) throw std::invalid_argument("parameter gravity: " + objection);
        std::copy(given.gravity.begin(), given.gravity.end(), gravity_.begin());
      }
      if (given.joints.empty()) given.joints = rigid_->joints();
      places_.clear();
      for (const auto & joint : given.joints) places_.push_back(rigid_->index(joint));
    } catch (const std::exception & error) {
      rigid_.reset();
      throw inverse_dynamics_solver::InvalidParameterValueException(error.what());
    }
  }

  MatrixXd getInertiaMatrix(const VectorXd & positions) const override
  {
    const VectorXd none = zero();
    MatrixXd inertia(none.size(), none.size());
    for (Eigen::Index k = 0; k < none.size(); ++k)
      inertia.col(k) = efforts(*rigid_, positions, none, VectorXd::Unit(none.size(), k), {});
    return inertia;
  }

  VectorXd getCoriolisVector(const VectorXd & positions, const VectorXd & velocities) const override
  {
    return efforts(*rigid_, positions, velocities, zero(), {});
  }

  VectorXd getGravityVector(const VectorXd & positions) const override
  {
    return efforts(*rigid_, positions, zero(), zero(), gravity_);
  }

  VectorXd getFrictionVector(const VectorXd & velocities) const override
  {
    return efforts(*friction_, zero(), velocities, zero(), gravity_);
  }

  VectorXd getTorques(
    const VectorXd & positions, const VectorXd & velocities,
    const VectorXd & accelerations) const override
  {
    return efforts(*rigid_, positions, velocities, accelerations, gravity_);
  }

private:
  using Params = dyn_controllers_effort_controller::Params;

  template <typename T>
  static void read(const NodeParametersInterface * from, const std::string & name, T & value)
  {
    if (from && from->has_parameter(name)) value = from->get_parameter(name).get_value<T>();
  }

  static Params values(const NodeParametersInterface * from, const std::string & name_space)
  {
    const auto head = name_space.empty() ? "" : name_space + ".";
    if (from && from->has_parameter(head + "codegen_timeout"))
      throw std::invalid_argument("parameter codegen_timeout does not exist any more: remove it");
    Params params;
    read(from, head + "joints", params.joints);
    read(from, head + "kernel", params.kernel);
    read(from, head + "codegen_command", params.codegen_command);
    read(from, head + "gravity", params.gravity);
    return params;
  }

  static std::string text_of(const NodeParametersInterface * from, std::string description)
  {
    if (description.empty()) read(from, "robot_description", description);
    if (description.empty())
      throw std::invalid_argument("no robot: give it as argument, or as parameter robot_description");
    return description;
  }

  static Object loaded(const Params & params, const std::string & description)
  {
    return load_or_generate(
      params.kernel, params.codegen_command, description,
      std::string("rnea,friction_efforts") + FRICTION_SMOOTHING, "gravity");
  }

  VectorXd zero() const
  {
    if (!rigid_) throw inverse_dynamics_solver::UninitializedException();
    return VectorXd::Zero(static_cast<Eigen::Index>(places_.size()));
  }

  VectorXd efforts(
    Model & model, const VectorXd & positions, const VectorXd & velocities,
    const VectorXd & accelerations, const std::array<double, 3> & gravity) const
  {
    VectorXd result = zero();
    for (const auto * given : {&positions, &velocities, &accelerations})
      if (given->size() != result.size())
        throw std::invalid_argument(
          "vectors of " + std::to_string(result.size()) + " joints are needed, one has " +
          std::to_string(given->size()));
    const std::lock_guard<std::mutex> lock(mutex_);
    model.gravity = gravity;
    for (Eigen::Index k = 0; k < result.size(); ++k) {
      const auto joint = places_[static_cast<std::size_t>(k)];
      model.set_position(joint, positions[k]);
      model.set_velocity(joint, velocities[k]);
      model.set_desired_velocity(joint, velocities[k]);
      model.set_acceleration(joint, accelerations[k]);
    }
    const auto & tau = model.evaluate();
    for (Eigen::Index k = 0; k < result.size(); ++k)
      result[k] = tau[places_[static_cast<std::size_t>(k)]];
    return result;
  }

  mutable std::mutex mutex_;  ///< of what is set in the models
  std::unique_ptr<Model> rigid_, friction_;
  std::array<double, 3> gravity_{};
  std::vector<std::size_t> places_;  ///< of the joints among those of the robot
};
}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(
  dyn_controllers::InverseDynamicsSolver, inverse_dynamics_solver::InverseDynamicsSolver)
