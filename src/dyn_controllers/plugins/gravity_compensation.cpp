// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/gravity_compensation.hpp"

#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers
{
using dyn_msgs::msg::JointEfforts;

void GravityCompensation::declare_parameters()
{
  own_listener_ = std::make_shared<dyn_controllers_gravity_compensation::ParamListener>(get_node());
  own_ = own_listener_->get_params();
}

std::string GravityCompensation::quantity() const
{
  return own_.include_coriolis ? "nonlinear_effects" : "generalized_gravity";
}

std::uint8_t GravityCompensation::terms() const
{
  return JointEfforts::TERM_GRAVITY | (own_.include_coriolis ? JointEfforts::TERM_CORIOLIS : 0);
}

bool GravityCompensation::needs_velocity() const
{
  return own_.include_coriolis || params_.include_friction;
}

void GravityCompensation::set_up()
{
  topic_ = std::make_shared<EffortReference>(joints_, content());
  listen<JointEfforts>("~/reference", topic_, &EffortReference::receive);
}

return_type GravityCompensation::update_reference_from_subscribers(
  const rclcpp::Time &, const rclcpp::Duration & period)
{
  const auto & efforts = topic_->efforts(period.seconds(), own_.reference_timeout);
  for (std::size_t k = 0; k < efforts.size(); ++k) set_reference(k, 0, efforts[k]);
  return return_type::OK;
}

const char * GravityCompensation::apply_references()
{
  if (params_.include_friction)
    for (std::size_t k = 0; k < velocities_.size(); ++k)
      model_->set_desired_velocity(k, velocities_[k]);
  return nullptr;
}

void GravityCompensation::add_references(std::vector<double> & wanted)
{
  for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] += reference(k, 0, 0.0);
}
}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(
  dyn_controllers::GravityCompensation, controller_interface::ChainableControllerInterface)
