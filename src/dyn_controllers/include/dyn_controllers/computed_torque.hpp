// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__COMPUTED_TORQUE_HPP_
#define DYN_CONTROLLERS__COMPUTED_TORQUE_HPP_

#include <memory>
#include <string>
#include <vector>

#include "dyn_controllers/dyn_controllers_computed_torque_parameters.hpp"
#include "dyn_controllers/effort_controller.hpp"

namespace dyn_controllers
{
/// Feedback linearization (Siciliano et al. 2009, section 8.5.2): efforts for a desired motion.
///
/// tau = M(q) (a_d + 2 z w (v_d - v) + w^2 (q_d - q)) + C(q, v) v + g(q). A joint without a desired
/// position stays where it was at activation. Errors of joints that turn without end are wrapped.
class ComputedTorque : public EffortController
{
protected:
  void declare_parameters() override;
  std::string quantity() const override { return "rnea"; }
  std::uint8_t terms() const override;
  bool needs_velocity() const override { return true; }
  std::vector<std::string> reference_kinds() const override
  {
    return {"position", "velocity", "acceleration"};
  }
  void set_up() override;
  void reset() override;
  const char * apply_references() override;

private:
  rcl_interfaces::msg::SetParametersResult check_gains(
    const std::vector<rclcpp::Parameter> & parameters) const;

  std::shared_ptr<dyn_controllers_computed_torque::ParamListener> own_listener_;
  dyn_controllers_computed_torque::Params own_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr check_;
  std::vector<double> kept_;  ///< desired positions of the commanded joints
  double moved_at_ = 0.0;     ///< s, when these went on to the references
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__COMPUTED_TORQUE_HPP_
