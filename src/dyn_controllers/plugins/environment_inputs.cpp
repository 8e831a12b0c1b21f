// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/environment_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

namespace dyn_controllers
{
namespace
{
constexpr const char * CONSTANT_GRAVITY =
  "the object has gravity as a constant: write it with --inputs gravity";
constexpr double STANDARD_GRAVITY = 9.80665;  // m/s^2
constexpr double LEVER = 1.0;                 // m
constexpr double MULTIPLE = 10.0;             // of the largest effort limit

InertialParameters parameters_of(const geometry_msgs::msg::Inertia & i)
{
  return about_frame(
    i.m, {i.com.x, i.com.y, i.com.z}, {i.ixx, i.ixy, i.iyy, i.ixz, i.iyz, i.izz});
}
}  // namespace

EnvironmentInputs::EnvironmentInputs(
  Model & model, const std::vector<double> & gravity, double largest_effort,
  const std::shared_ptr<EffortAgreement> & agreement)
: takes_gravity_(model.gravity_is_input), largest_effort_(largest_effort), agreement_(agreement)
{
  if (!gravity.empty()) {
    const auto objection = objection_to_gravity(gravity);
    if (!objection.empty()) throw std::invalid_argument("parameter gravity: " + objection);
    if (!takes_gravity_)
      throw std::invalid_argument(std::string("parameter gravity is set, but ") + CONSTANT_GRAVITY);
    std::copy(gravity.begin(), gravity.end(), model.gravity.begin());
  }
  values_.gravity = model.gravity;
  values_.payload = model.payload;
  before_ = values_;
  box_.set(values_);
}

template <typename Service, typename Answer>
void EnvironmentInputs::offer(
  const std::shared_ptr<EnvironmentInputs> & self, rclcpp_lifecycle::LifecycleNode & node,
  const std::string & name, Answer answer)
{
  self->services_.push_back(node.create_service<Service>(
    name, [weak = std::weak_ptr<EnvironmentInputs>(self), answer](
            const typename Service::Request::SharedPtr request,
            typename Service::Response::SharedPtr response) {
      if (const auto alive = weak.lock()) (alive.get()->*answer)(*request, *response);
    }));
}

void EnvironmentInputs::open(
  const std::shared_ptr<EnvironmentInputs> & self, rclcpp_lifecycle::LifecycleNode & node)
{
  offer<SetGravity>(self, node, "~/set_gravity", &EnvironmentInputs::set_gravity);
  offer<SetPayload>(self, node, "~/set_payload", &EnvironmentInputs::set_payload);
  offer<ClearPayload>(self, node, "~/clear_payload", &EnvironmentInputs::clear_payload);
}

bool EnvironmentInputs::apply(Model & model)
{
  bool changed = false;
  const auto take = [&](const Values & values) {
    if (values.version == applied_) return;
    changed = true;
    applied_ = values.version;
    model.gravity = values.gravity;
    for (auto & [frame, parameters] : model.payload) parameters = values.payload.at(frame);
  };
  (void)box_.try_get(std::ref(take));  // else in the next cycle
  return changed;
}

std::string EnvironmentInputs::payloads() const
{
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  for (const auto & [name, payload] : payloads_)
    text += (text.empty() ? "" : ", ") + name + " (" + std::to_string(payload.inertia.m) +
            " kg at " + payload.frame_id + ")";
  return text.empty() ? "none" : text;
}

/// Why a payload cannot be carried, in words; empty: it can.
std::string EnvironmentInputs::objection(const Payload & payload) const
{
  const auto & i = payload.inertia;
  const std::string which = "payload '" + payload.name + "' ";
  if (values_.payload.count(payload.frame_id) == 0) {
    std::string known;
    for (const auto & entry : values_.payload) known += (known.empty() ? "" : ", ") + entry.first;
    return which + "is fixed to '" + payload.frame_id + "', and the object takes payloads at " +
           (known.empty() ? "no frame" : known) + ": name the frame in the parameter "
           "payload_frames, or in --inputs where the object is made";
  }
  const auto wrong = objection_to_inertia(i.m, {i.ixx, i.ixy, i.iyy, i.ixz, i.iyz, i.izz});
  if (!wrong.empty()) return which + wrong;
  const double reach = std::hypot(i.com.x, i.com.y, i.com.z);
  if (!std::isfinite(reach)) return which + "has a centre of mass that is not finite";
  if (i.m * STANDARD_GRAVITY * (LEVER + reach) > MULTIPLE * largest_effort_)
    return which + "has " + std::to_string(i.m) + " kg, which on a lever of 1 m need more than "
           "ten times the largest effort limit, " + std::to_string(largest_effort_) +
           ": give kg and m";
  return "";
}

template <typename Response>
void EnvironmentInputs::answer(const std::string & objection, Response & response) const
{
  response.success = objection.empty();
  response.message = objection.empty() ? "ok" : objection + "; nothing changed";
  for (const auto & entry : payloads_) response.payloads.push_back(entry.second);
}

/// \return why these cannot be carried, in words; empty: they are
std::string EnvironmentInputs::carry(Payloads payloads)
{
  auto values = values_;
  for (auto & [frame, parameters] : values.payload) {
    parameters = {};
    for (const auto & entry : payloads) {
      if (entry.second.frame_id != frame) continue;
      const auto own = parameters_of(entry.second.inertia);
      for (std::size_t j = 0; j < own.size(); ++j) parameters[j] += own[j];
    }
  }
  const auto wrong = publish(values);
  if (wrong.empty()) payloads_ = std::move(payloads);
  return wrong;
}

/// Give values to the cycle, unless the arm contradicts them. The last change may be undone.
std::string EnvironmentInputs::publish(const Values & values)
{
  const auto wrong = values == before_ ? "" : agreement_->objection(values_, values);
  if (!wrong.empty()) return wrong;
  before_ = values_;
  values_ = values;
  values_.version = before_.version + 1;
  box_.set(values_);
  return "";
}

void EnvironmentInputs::set_gravity(
  const SetGravity::Request & request, SetGravity::Response & response)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto & g = request.gravity;
  auto objection =
    takes_gravity_ ? objection_to_gravity({g.x, g.y, g.z}) : std::string(CONSTANT_GRAVITY);
  auto values = values_;
  values.gravity = {g.x, g.y, g.z};
  if (objection.empty()) objection = publish(values);
  response.success = objection.empty();
  response.message = objection.empty() ? "ok" : objection + "; nothing changed";
}

void EnvironmentInputs::set_payload(
  const SetPayload::Request & request, SetPayload::Response & response)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  auto payloads = payloads_;
  std::string wrong;
  for (const auto & payload : request.payloads) {
    if (wrong.empty()) wrong = objection(payload);
    payloads[payload.name] = payload;
  }
  if (wrong.empty()) wrong = carry(std::move(payloads));
  answer(wrong, response);
}

void EnvironmentInputs::clear_payload(
  const ClearPayload::Request & request, ClearPayload::Response & response)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  auto payloads = payloads_;
  std::string wrong;
  if (request.names.empty()) payloads.clear();
  for (const auto & name : request.names)
    if (payloads.erase(name) == 0 && wrong.empty()) wrong = "no payload '" + name + "'";
  if (wrong.empty()) wrong = carry(std::move(payloads));
  answer(wrong, response);
}
}  // namespace dyn_controllers
