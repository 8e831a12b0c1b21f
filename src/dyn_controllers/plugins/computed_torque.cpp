// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/computed_torque.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dyn_controllers/gains.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers
{
using dyn_msgs::msg::JointEfforts;

namespace
{
enum Kind { POSITION, VELOCITY, ACCELERATION };
constexpr double MAX_STEP = 0.1;  ///< s of a cycle in which what is desired moves on
constexpr double APPROACH = 0.5;  ///< part of natural_frequency with which a step is approached
}  // namespace

void ComputedTorque::declare_parameters()
{
  own_listener_ = std::make_shared<dyn_controllers_computed_torque::ParamListener>(get_node());
  own_ = own_listener_->get_params();
}

std::uint8_t ComputedTorque::terms() const
{
  return JointEfforts::TERM_GRAVITY | JointEfforts::TERM_CORIOLIS | JointEfforts::TERM_INERTIA;
}

void ComputedTorque::set_up()
{
  kept_.resize(joints_.size());
  own_ = own_listener_->get_params();
  const auto objection =
    objection_to_gains(own_.natural_frequency, own_.damping_ratio, get_update_rate());
  if (!objection.empty()) throw std::invalid_argument(objection);
  check_ = get_node()->add_on_set_parameters_callback(
    [this](const std::vector<rclcpp::Parameter> & parameters) { return check_gains(parameters); });
}

/// Refuse gains that the update rate cannot carry.
rcl_interfaces::msg::SetParametersResult ComputedTorque::check_gains(
  const std::vector<rclcpp::Parameter> & parameters) const
{
  auto gains = own_listener_->get_params();
  for (const auto & parameter : parameters) {
    if (parameter.get_type() != rclcpp::ParameterType::PARAMETER_DOUBLE) continue;
    if (parameter.get_name() == "natural_frequency") gains.natural_frequency = parameter.as_double();
    if (parameter.get_name() == "damping_ratio") gains.damping_ratio = parameter.as_double();
  }
  rcl_interfaces::msg::SetParametersResult result;
  result.reason =
    objection_to_gains(gains.natural_frequency, gains.damping_ratio, get_update_rate());
  result.successful = result.reason.empty();
  return result;
}

void ComputedTorque::reset() { std::fill(kept_.begin(), kept_.end(), UNKNOWN); }

const char * ComputedTorque::apply_references()
{
  const bool changed = own_listener_->try_update_params(own_);
  if (changed) ramp();
  const double z = own_.damping_ratio;
  const double w = std::min(own_.natural_frequency, most_frequency(z, rate()));
  const double seconds = std::min(now() - moved_at_, MAX_STEP);
  moved_at_ = now();
  if (changed || !follows()) reset();  // higher gains would multiply what friction left to go
  bool near = true;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const auto joint = commanded_[k];
    const double position = reference(k, POSITION, UNKNOWN);
    const bool turns = model_->turns(joint);
    const double most = max_velocity_[joint];
    // What was desired last stays so where no reference comes, for example between two goals.
    if (!std::isfinite(kept_[k])) kept_[k] = positions_[joint];
    const double goal = std::isfinite(position) ? position : kept_[k];
    const double apart = std::abs(difference(goal, positions_[joint], turns));
    near = near && (own_.max_tracking_error <= 0.0 || apart <= own_.max_tracking_error);
    // A step would need efforts that motors do not have, and an arm falls at its limits.
    const double way = difference(goal, kept_[k], turns);
    const bool steps = std::abs(way) > most * seconds;
    kept_[k] += steps ? std::clamp(APPROACH * w * way, -most, most) * seconds : way;
    const double error = difference(kept_[k], positions_[joint], turns);
    const double velocity = std::clamp(reference(k, VELOCITY, 0.0), -most, most);
    model_->set_desired_velocity(joint, velocity);
    model_->set_acceleration(
      joint, reference(k, ACCELERATION, 0.0) + 2.0 * z * w * (velocity - velocities_[joint]) +
               w * w * error);
  }
  return near ? nullptr : "tracking error exceeds max_tracking_error";
}
}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(
  dyn_controllers::ComputedTorque, controller_interface::ChainableControllerInterface)
