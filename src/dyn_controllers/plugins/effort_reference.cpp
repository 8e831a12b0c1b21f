// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/effort_reference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace dyn_controllers
{
namespace
{
using JointEfforts = EffortReference::JointEfforts;

const std::pair<int, const char *> TERMS[] = {
  {JointEfforts::TERM_GRAVITY, "gravity"},
  {JointEfforts::TERM_CORIOLIS, "Coriolis efforts"},
  {JointEfforts::TERM_FRICTION, "friction"}};
}  // namespace

EffortReference::EffortReference(const std::vector<std::string> & joints, std::uint8_t terms)
: joints_(joints), terms_(terms)
{
  used_.effort.assign(joints.size(), 0.0);
}

std::string EffortReference::receive(const JointEfforts & message)
{
  for (const auto & [term, name] : TERMS)
    if (message.terms & terms_ & term)
      return std::string("its efforts contain ") + name +
             ", which are compensated already: publish them without, and without this bit in terms";
  if (message.joint_names.size() != message.effort.size())
    return "it has " + std::to_string(message.joint_names.size()) + " names of joints and " +
           std::to_string(message.effort.size()) + " efforts: publish one effort for each joint";
  received_.effort.assign(joints_.size(), 0.0);
  for (std::size_t k = 0; k < message.effort.size(); ++k) {
    const auto & joint = message.joint_names[k];
    const auto at = std::find(joints_.begin(), joints_.end(), joint);
    if (at == joints_.end())
      return "joint '" + joint + "' is not commanded by this controller: leave it out";
    if (!std::isfinite(message.effort[k]))
      return "the effort of joint '" + joint + "' is not finite: publish finite efforts";
    received_.effort[static_cast<std::size_t>(at - joints_.begin())] = message.effort[k];
  }
  ++received_.count;
  box_.set(received_);
  return "";
}

const std::vector<double> & EffortReference::efforts(double dt, double timeout)
{
  age_ += dt;
  const auto take = [this](const Received & received) {
    if (received.count == used_.count) return;
    used_.count = received.count;
    std::copy(received.effort.begin(), received.effort.end(), used_.effort.begin());
    age_ = 0.0;
  };
  (void)box_.try_get(std::ref(take));  // else in the next cycle
  if (age_ >= timeout) std::fill(used_.effort.begin(), used_.effort.end(), 0.0);
  return used_.effort;
}
}  // namespace dyn_controllers
