// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>

#include "effort_controller.hpp"
#include "handover.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers
{
using dyn_msgs::msg::JointEfforts;

namespace
{
/// Efforts that come on ~/reference.
class ReferenceTopic
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
    received_.take([this](const Received & received) {
      last_.when = received.when;
      std::copy(received.effort.begin(), received.effort.end(), last_.effort.begin());
    });
    const bool fresh = last_.when != Clock::time_point::min() &&
                       Clock::now() - last_.when < std::chrono::duration<double>(timeout);
    for (std::size_t k = 0; fresh && k < wanted.size(); ++k) wanted[k] += last_.effort[k];
  }

  void forget() { last_.when = Clock::time_point::min(); }

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
    bool good = message.joint_names.size() == message.effort.size();
    for (std::size_t k = 0; good && k < message.effort.size(); ++k) {
      const auto at = std::find(joints_.begin(), joints_.end(), message.joint_names[k]);
      good = at != joints_.end() && std::isfinite(message.effort[k]);
      if (good) received.effort[static_cast<std::size_t>(at - joints_.begin())] = message.effort[k];
    }
    if (good)
      received_.give(received);
    else
      RCLCPP_WARN_THROTTLE(
        logger_, *clock_, 1000,
        "~/reference refused: it needs a finite effort for each of its joints, which are among "
        "those that are commanded");
  }

  const std::vector<std::string> joints_;
  Handover<Received> received_;
  Received last_;  ///< of the cycle
  rclcpp::Logger logger_;
  rclcpp::Clock::SharedPtr clock_;
  rclcpp::Subscription<JointEfforts>::SharedPtr subscription_;
};
}  // namespace

/// Efforts against gravity (and Coriolis efforts and friction, if asked for), plus references.
class GravityCompensation : public EffortController
{
  std::string quantity() const override
  {
    return params_.include_coriolis ? "nonlinear_effects" : "generalized_gravity";
  }

  std::uint8_t terms() const override
  {
    return JointEfforts::TERM_GRAVITY |
           (params_.include_coriolis ? JointEfforts::TERM_CORIOLIS : 0);
  }

  bool needs_velocity() const override
  {
    return params_.include_coriolis || params_.include_friction;
  }

  std::vector<std::string> reference_kinds() const override { return {"effort"}; }

  double no_reference() const override { return 0.0; }

  void configure() override
  {
    topic_ = std::make_shared<ReferenceTopic>(*get_node(), joints_);
    ReferenceTopic::open(topic_, *get_node());
  }

  void begin() override { topic_->forget(); }

  void enter_references() override
  {
    if (!params_.include_friction) return;
    for (std::size_t k = 0; k < velocities_.size(); ++k)
      model_->set_desired_velocity(k, velocities_[k]);
  }

  void add_references(std::vector<double> & wanted) override
  {
    if (!is_in_chained_mode()) return topic_->add_to(wanted, params_.reference_timeout);
    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] += reference(k, 0);
  }

  std::shared_ptr<ReferenceTopic> topic_;
};
}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(
  dyn_controllers::GravityCompensation, controller_interface::ChainableControllerInterface)
