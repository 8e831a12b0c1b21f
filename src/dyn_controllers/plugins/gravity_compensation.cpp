// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/gravity_compensation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers
{
using dyn_msgs::msg::JointEfforts;

/// Efforts that come on ~/reference.
class GravityCompensation::ReferenceTopic
{
public:
  ReferenceTopic(rclcpp_lifecycle::LifecycleNode & node, const std::vector<std::string> & joints)
  : joints_(joints),
    last_{std::vector<double>(joints.size(), 0.0), Clock::time_point::min()},
    logger_(node.get_logger()),
    clock_(node.get_clock())
  {
  }

  /// Begin. A message that is received while this is destroyed keeps it until then.
  static void open(
    const std::shared_ptr<ReferenceTopic> & self, rclcpp_lifecycle::LifecycleNode & node)
  {
    self->subscription_ = node.create_subscription<JointEfforts>(
      "~/reference", rclcpp::SystemDefaultsQoS(),
      [weak = std::weak_ptr<ReferenceTopic>(self)](const JointEfforts::ConstSharedPtr message) {
        if (const auto alive = weak.lock()) alive->receive(*message);
      });
  }

  /// Add what came last if it is not older than `timeout`, in s. Allocates nothing.
  void add_to(std::vector<double> & wanted, double timeout)
  {
    const auto take = [this](const Received & received) {
      if (received.when <= forgotten_ || received.when == last_.when) return;
      last_.when = received.when;
      std::copy(received.effort.begin(), received.effort.end(), last_.effort.begin());
    };
    (void)received_.try_get(std::ref(take));  // else in the next cycle
    const bool fresh = last_.when != Clock::time_point::min() &&
                       Clock::now() - last_.when < std::chrono::duration<double>(timeout);
    for (std::size_t k = 0; fresh && k < wanted.size(); ++k) wanted[k] += last_.effort[k];
  }

  /// Add nothing of what has come until now.
  void forget()
  {
    forgotten_ = Clock::now();
    last_.when = Clock::time_point::min();
  }

private:
  using Clock = std::chrono::steady_clock;
  struct Received
  {
    std::vector<double> effort;  ///< of the commanded joints
    Clock::time_point when;
  };

  /// Keep what a message says; one with an unknown joint or a NaN is refused as a whole.
  void receive(const JointEfforts & message)
  {
    Received received{std::vector<double>(joints_.size(), 0.0), Clock::now()};
    bool valid = message.joint_names.size() == message.effort.size();
    for (std::size_t k = 0; valid && k < message.effort.size(); ++k) {
      const auto at = std::find(joints_.begin(), joints_.end(), message.joint_names[k]);
      valid = at != joints_.end() && std::isfinite(message.effort[k]);
      if (valid) received.effort[static_cast<std::size_t>(at - joints_.begin())] = message.effort[k];
    }
    if (valid)
      received_.set(received);
    else
      RCLCPP_WARN_THROTTLE(
        logger_, *clock_, 1000,
        "~/reference refused: it needs a finite effort for each of its joints, which are among "
        "those that are commanded");
  }

  const std::vector<std::string> joints_;
  realtime_tools::RealtimeThreadSafeBox<Received> received_;
  Received last_;  ///< of the cycle
  Clock::time_point forgotten_ = Clock::time_point::min();
  rclcpp::Logger logger_;
  rclcpp::Clock::SharedPtr clock_;
  rclcpp::Subscription<JointEfforts>::SharedPtr subscription_;
};

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

std::vector<std::string> GravityCompensation::reference_kinds() const { return {"effort"}; }

double GravityCompensation::no_reference() const { return 0.0; }

void GravityCompensation::set_up()
{
  topic_ = std::make_shared<ReferenceTopic>(*get_node(), joints_);
  ReferenceTopic::open(topic_, *get_node());
}

void GravityCompensation::reset() { topic_->forget(); }

const char * GravityCompensation::apply_references()
{
  if (params_.include_friction)
    for (std::size_t k = 0; k < velocities_.size(); ++k)
      model_->set_desired_velocity(k, velocities_[k]);
  return nullptr;
}

void GravityCompensation::add_references(std::vector<double> & wanted)
{
  if (!is_in_chained_mode()) return topic_->add_to(wanted, own_.reference_timeout);
  for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] += reference(k, 0);
}
}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(
  dyn_controllers::GravityCompensation, controller_interface::ChainableControllerInterface)
