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
constexpr std::chrono::milliseconds STATE_PERIOD{20};
constexpr int STATES_PER_DIAGNOSIS = 50;
const char * const PHASES[] = {"waiting", "active", "holding", "damping", "ramp to zero"};
}  // namespace

ControllerReport::ControllerReport(
  const rclcpp_lifecycle::LifecycleNode::SharedPtr & node, const std::vector<std::string> & joints,
  std::uint8_t terms, Details details)
: node_(node), details_(std::move(details))
{
  message_.joint_names = joints;
  message_.effort.assign(joints.size(), 0.0);
  message_.terms = terms;
  Newest newest;
  newest.efforts = message_.effort;
  box_.set(newest);
  // Plain publishers: those of a lifecycle node are silent until it is active.
  state_ = rclcpp::create_publisher<JointEfforts>(node, "~/state", rclcpp::SystemDefaultsQoS());
  diagnostics_ = rclcpp::create_publisher<DiagnosticArray>(node, "/diagnostics", 10);
}

void ControllerReport::open(const std::shared_ptr<ControllerReport> & self)
{
  self->timer_ = self->node_->create_wall_timer(
    STATE_PERIOD, [weak = std::weak_ptr<ControllerReport>(self)] {
      if (const auto alive = weak.lock()) alive->publish();
    });
}

void ControllerReport::update(
  const rclcpp::Time & time, const Cycle & cycle, const std::vector<double> & efforts)
{
  const auto copy = [&](Newest & kept) {
    kept.cycle = cycle;
    kept.time = time.nanoseconds();
    std::copy(efforts.begin(), efforts.end(), kept.efforts.begin());
  };
  (void)box_.try_set(std::ref(copy));  // else the next cycle
}

/// Publish the efforts of the newest cycle, if they are not published yet.
void ControllerReport::publish()
{
  const auto newest = box_.get();
  const builtin_interfaces::msg::Time stamp = rclcpp::Time(newest.time);
  if (stamp != message_.header.stamp) {
    message_.header.stamp = stamp;
    message_.effort = newest.efforts;
    state_->publish(message_);
  }
  if (++ticks_ % STATES_PER_DIAGNOSIS == 0) diagnose(newest.cycle);
}

void ControllerReport::diagnose(const Cycle & now)
{
  using Status = diagnostic_msgs::msg::DiagnosticStatus;
  const auto before = now.cycles < reported_.cycles ? Cycle() : reported_;
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
