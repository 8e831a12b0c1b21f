// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/controller_report.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dyn_controllers
{
namespace
{
const char * const PHASES[] = {"waiting", "active", "holding", "damping", "ramp to zero"};
}  // namespace

ControllerReport::ControllerReport(
  const rclcpp_lifecycle::LifecycleNode::SharedPtr & node, const std::vector<std::string> & joints,
  std::uint8_t terms, double rate, Details details)
: node_(node), details_(std::move(details)), period_(1.0 / rate)
{
  message_.joint_names = joints;
  message_.effort.assign(joints.size(), 0.0);
  message_.terms = terms;
  // Plain publishers: those of a lifecycle node are silent until it is active.
  state_ = std::make_unique<realtime_tools::RealtimePublisher<JointEfforts>>(
    rclcpp::create_publisher<JointEfforts>(node, "~/state", rclcpp::SystemDefaultsQoS()));
  diagnostics_ = rclcpp::create_publisher<DiagnosticArray>(node, "/diagnostics", 10);
}

void ControllerReport::open(const std::shared_ptr<ControllerReport> & self)
{
  self->timer_ = self->node_->create_wall_timer(
    std::chrono::seconds(1), [weak = std::weak_ptr<ControllerReport>(self)] {
      if (const auto alive = weak.lock()) alive->diagnose();
    });
}

void ControllerReport::update(
  const rclcpp::Time & time, const Cycle & cycle, const std::vector<double> & efforts)
{
  const auto copy = [&cycle](Cycle & kept) { kept = cycle; };
  (void)box_.try_set(std::ref(copy));
  const double now = time.seconds();
  const bool last = cycle.phase == EffortPolicy::Phase::waiting;
  if (!last && now >= published_ && now - published_ < period_) return;
  message_.header.stamp = time;
  std::copy(efforts.begin(), efforts.end(), message_.effort.begin());
  if (state_->try_publish(message_)) published_ = now;
}

void ControllerReport::diagnose()
{
  using Status = diagnostic_msgs::msg::DiagnosticStatus;
  const auto now = box_.get(), before = now.cycles < reported_.cycles ? Cycle() : reported_;
  reported_ = now;
  const auto cycles = now.cycles - before.cycles, invalid = now.invalid - before.invalid;
  const auto saturated = now.saturated - before.saturated;
  const std::string phase = PHASES[static_cast<int>(now.phase)], fault = now.fault;
  DiagnosticArray array;
  array.header.stamp = node_->now();
  Status status;
  status.name = node_->get_fully_qualified_name();
  status.level = invalid ? Status::ERROR : saturated ? Status::WARN : Status::OK;
  status.message = !cycles     ? "no cycles"
                   : invalid   ? fault + ": " + phase
                   : saturated ? "efforts at their limits"
                               : "ok";
  const auto add = [&status](const std::string & key, const std::string & value) {
    diagnostic_msgs::msg::KeyValue pair;
    pair.key = key;
    pair.value = value;
    status.values.push_back(pair);
  };
  add("phase", phase);
  add("cycles", std::to_string(cycles));
  add("invalid_cycles", std::to_string(invalid));
  add("saturated_cycles", std::to_string(saturated));
  for (const auto & [key, value] : details_()) add(key, value);
  array.status.push_back(status);
  diagnostics_->publish(array);
}
}  // namespace dyn_controllers
