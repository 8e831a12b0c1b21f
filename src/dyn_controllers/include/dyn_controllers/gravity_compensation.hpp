// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__GRAVITY_COMPENSATION_HPP_
#define DYN_CONTROLLERS__GRAVITY_COMPENSATION_HPP_

#include <memory>
#include <string>
#include <vector>

#include "dyn_controllers/dyn_controllers_gravity_compensation_parameters.hpp"
#include "dyn_controllers/effort_controller.hpp"
#include "dyn_controllers/effort_reference.hpp"

namespace dyn_controllers
{
/// Efforts against gravity (Coriolis efforts and friction on request), plus references.
class GravityCompensation : public EffortController
{
protected:
  void declare_parameters() override;
  std::string quantity() const override;
  std::uint8_t terms() const override;
  bool needs_velocity() const override;
  std::vector<std::string> reference_kinds() const override { return {"effort"}; }
  void set_up() override;
  void reset() override { topic_->forget(); }
  const char * apply_references() override;
  void add_references(std::vector<double> & wanted) override;
  return_type update_reference_from_subscribers(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  std::shared_ptr<dyn_controllers_gravity_compensation::ParamListener> own_listener_;
  dyn_controllers_gravity_compensation::Params own_;
  std::shared_ptr<EffortReference> topic_;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__GRAVITY_COMPENSATION_HPP_
