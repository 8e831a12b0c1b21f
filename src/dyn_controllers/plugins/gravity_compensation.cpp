// Copyright The maintainers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>

#include "effort_controller.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers
{
/// Efforts against gravity (and Coriolis efforts and friction, if asked for), plus references.
class GravityCompensation : public EffortController
{
  using JointEfforts = dyn_msgs::msg::JointEfforts;
  using Clock = std::chrono::steady_clock;

  std::vector<Term> terms() const override
  {
    std::vector<Term> terms{
      {params_.include_coriolis ? "nonlinear_effects" : "generalized_gravity", "", 1.0}};
    if (params_.include_friction)
      terms.push_back(
        {"friction_efforts", "(smoothing=" + std::to_string(params_.friction_smoothing) + ")",
         -1.0});
    return terms;
  }

  std::uint8_t terms_of_message() const override
  {
    return JointEfforts::TERM_GRAVITY |
           (params_.include_coriolis ? JointEfforts::TERM_CORIOLIS : 0) |
           (params_.include_friction ? JointEfforts::TERM_FRICTION : 0);
  }

  bool needs_velocity() const override
  {
    return params_.include_coriolis || params_.include_friction;
  }

  std::vector<std::string> reference_kinds() const override { return {"effort"}; }

  double no_reference() const override { return 0.0; }

  void configure() override
  {
    const Received none{std::vector<double>(joints_.size(), 0.0), Clock::time_point::min()};
    box_.set(none);
    from_topic_ = none;
    subscription_ = get_node()->create_subscription<JointEfforts>(
      "~/reference", rclcpp::SystemDefaultsQoS(),
      [this](const JointEfforts::ConstSharedPtr message) { receive(*message); });
  }

  void begin() override { from_topic_.when = Clock::time_point::min(); }

  /// Keep what a topic says; a message with an unknown joint or a NaN is refused as a whole.
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
      box_.set(received);
    else
      RCLCPP_WARN_THROTTLE(
        get_node()->get_logger(), *get_node()->get_clock(), 1000,
        "~/reference refused: it needs a finite effort for each of its joints, which are among "
        "those that are commanded");
  }

  void enter_references() override
  {
    for (std::size_t k = 0; k < positions_.size(); ++k)
      model_->set_desired_velocity(k, velocities_[k]);
  }

  void add_references(std::vector<double> & wanted) override
  {
    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] += reference(k, 0);
    if (is_in_chained_mode()) return;
    box_.try_get([this](const Received & received) {
      from_topic_.when = received.when;
      std::copy(received.effort.begin(), received.effort.end(), from_topic_.effort.begin());
    });
    const bool fresh =
      from_topic_.when != Clock::time_point::min() &&
      Clock::now() - from_topic_.when < std::chrono::duration<double>(params_.reference_timeout);
    for (std::size_t k = 0; fresh && k < wanted.size(); ++k) wanted[k] += from_topic_.effort[k];
  }

  struct Received
  {
    std::vector<double> effort;  ///< of the commanded joints
    Clock::time_point when;
  };
  realtime_tools::RealtimeThreadSafeBox<Received> box_;
  Received from_topic_;
  rclcpp::Subscription<JointEfforts>::SharedPtr subscription_;
};
}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(
  dyn_controllers::GravityCompensation, controller_interface::ChainableControllerInterface)
