// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "effort_controller.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers
{
using dyn_msgs::msg::JointEfforts;

/// Feedback linearization (Siciliano et al. 2009, section 8.5.2): efforts for a desired motion.
///
/// tau = M(q) (a_d + 2 z w (v_d - v) + w^2 (q_d - q)) + C(q, v) v + g(q). A joint without a desired
/// position stays where it was at activation.
class ComputedTorque : public EffortController
{
  enum Kind { POSITION, VELOCITY, ACCELERATION };

  std::string quantity() const override { return "rnea"; }

  std::uint8_t terms() const override
  {
    return JointEfforts::TERM_GRAVITY | JointEfforts::TERM_CORIOLIS | JointEfforts::TERM_INERTIA;
  }

  bool needs_velocity() const override { return true; }

  std::vector<std::string> reference_kinds() const override
  {
    return {"position", "velocity", "acceleration"};
  }

  double no_reference() const override { return std::numeric_limits<double>::quiet_NaN(); }

  void configure() override { kept_.assign(joints_.size(), no_reference()); }

  void begin() override
  {
    for (auto & position : kept_) position = no_reference();
  }

  void enter_references() override
  {
    const double w = params_.natural_frequency, z = params_.damping_ratio;
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const auto joint = commanded_[k];
      const double position = reference(k, POSITION);
      // What was desired last stays so where nobody says more, for example between two goals.
      if (std::isfinite(position))
        kept_[k] = position;
      else if (!std::isfinite(kept_[k]))
        kept_[k] = positions_[joint];
      const double velocity = or_zero(reference(k, VELOCITY));
      model_->set_desired_velocity(joint, velocity);
      model_->set_acceleration(
        joint, or_zero(reference(k, ACCELERATION)) + 2.0 * z * w * (velocity - velocities_[joint]) +
                 w * w * (kept_[k] - positions_[joint]));
    }
  }

  static double or_zero(double x) { return std::isfinite(x) ? x : 0.0; }

  std::vector<double> kept_;  ///< desired positions of the commanded joints
};
}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(
  dyn_controllers::ComputedTorque, controller_interface::ChainableControllerInterface)
