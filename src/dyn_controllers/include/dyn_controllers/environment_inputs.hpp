// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__ENVIRONMENT_INPUTS_HPP_
#define DYN_CONTROLLERS__ENVIRONMENT_INPUTS_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dyn_controllers/effort_agreement.hpp"
#include "dyn_controllers/model.hpp"
#include "dyn_msgs/srv/clear_payload.hpp"
#include "dyn_msgs/srv/set_gravity.hpp"
#include "dyn_msgs/srv/set_payload.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "realtime_tools/realtime_thread_safe_box.hpp"

namespace dyn_controllers
{
/// Gravity and payloads: set by the services that the nodes of dyn_ros have, read in the cycle.
class EnvironmentInputs
{
public:
  /// \param gravity m/s^2; empty: as the model has it
  /// \param agreement asked before a change
  /// \param largest_effort the largest effort limit, N m or N; infinite: a joint has none
  /// \throws std::invalid_argument gravity cannot be, or the model does not take it
  EnvironmentInputs(
    Model & model, const std::vector<double> & gravity, double largest_effort,
    const std::shared_ptr<EffortAgreement> & agreement);

  /// Offer the services. A call that runs while this is destroyed keeps it until it has ended.
  static void open(
    const std::shared_ptr<EnvironmentInputs> & self, rclcpp_lifecycle::LifecycleNode & node);

  /// Enter what has changed in the model. Never waits and allocates nothing.
  /// \return whether anything has changed
  bool apply(Model & model);

  /// What is carried, in words.
  std::string payloads() const;

private:
  using ClearPayload = dyn_msgs::srv::ClearPayload;
  using Payload = dyn_msgs::msg::Payload;
  using SetGravity = dyn_msgs::srv::SetGravity;
  using SetPayload = dyn_msgs::srv::SetPayload;
  using Payloads = std::map<std::string, Payload>;

  /// Values of the model's inputs.
  struct Values : EffortAgreement::Environment
  {
    std::uint64_t version = 0;
  };

  template <typename Service, typename Answer>
  static void offer(
    const std::shared_ptr<EnvironmentInputs> & self, rclcpp_lifecycle::LifecycleNode & node,
    const std::string & name, Answer answer);
  std::string objection(const Payload & payload) const;
  void set_gravity(const SetGravity::Request & request, SetGravity::Response & response);
  void set_payload(const SetPayload::Request & request, SetPayload::Response & response);
  void clear_payload(const ClearPayload::Request & request, ClearPayload::Response & response);
  std::string carry(Payloads payloads);
  std::string publish(const Values & values);
  template <typename Response>
  void answer(const std::string & objection, Response & response) const;

  bool takes_gravity_;
  double largest_effort_;
  std::shared_ptr<EffortAgreement> agreement_;
  mutable std::mutex mutex_;  ///< of `payloads_` and `values_`; not taken in the cycle
  Payloads payloads_;         ///< by name
  Values values_, before_;    ///< in use, and before the last change
  realtime_tools::RealtimeThreadSafeBox<Values> box_;
  std::uint64_t applied_ = 0;  ///< version of the values that the model has
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__ENVIRONMENT_INPUTS_HPP_
