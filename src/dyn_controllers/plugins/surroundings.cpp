// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "surroundings.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace dyn_controllers
{
namespace
{
bool all_finite(std::initializer_list<double> numbers)
{
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

const std::string GRAVITY_HAS_TO_BE = "has to be three finite numbers, of at most 30 m/s^2";
constexpr double STANDARD_GRAVITY = 9.80665;  // m/s^2
constexpr double LEVER = 1.0;                 // m
constexpr double MULTIPLE = 10.0;             // of the largest effort limit

InertialParameters parameters_of(const geometry_msgs::msg::Inertia & i)
{
  return about_frame(
    i.m, {i.com.x, i.com.y, i.com.z}, {i.ixx, i.ixy, i.iyy, i.ixz, i.iyz, i.izz});
}
}  // namespace

Surroundings::Surroundings(
  Model & model, const std::vector<double> & gravity, double largest_effort)
: takes_gravity_(model.gravity_is_input), largest_effort_(largest_effort)
{
  if (!gravity.empty()) {
    if (gravity.size() != 3 || !plausible_gravity(gravity[0], gravity[1], gravity[2]))
      throw std::invalid_argument("parameter gravity " + GRAVITY_HAS_TO_BE + ", or none");
    if (!takes_gravity_)
      throw std::invalid_argument(
        "parameter gravity is set, but the object has it as a constant: write it with --inputs "
        "gravity");
    std::copy(gravity.begin(), gravity.end(), model.gravity.begin());
  }
  values_.gravity = model.gravity;
  for (const auto & [frame, parameters] : model.payload) {
    frames_.push_back(frame);
    values_.payload.push_back(parameters);
  }
}

template <typename Service, typename Answer>
void Surroundings::offer(
  const std::shared_ptr<Surroundings> & self, rclcpp_lifecycle::LifecycleNode & node,
  const std::string & name, Answer answer)
{
  self->services_.push_back(node.create_service<Service>(
    name, [weak = std::weak_ptr<Surroundings>(self), answer](
            const typename Service::Request::SharedPtr request,
            typename Service::Response::SharedPtr response) {
      if (const auto alive = weak.lock()) (alive.get()->*answer)(*request, *response);
    }));
}

void Surroundings::open(
  const std::shared_ptr<Surroundings> & self, rclcpp_lifecycle::LifecycleNode & node)
{
  offer<SetGravity>(self, node, "~/set_gravity", &Surroundings::set_gravity);
  offer<SetPayload>(self, node, "~/set_payload", &Surroundings::set_payload);
  offer<ClearPayload>(self, node, "~/clear_payload", &Surroundings::clear_payload);
}

void Surroundings::enter(Model & model)
{
  changed_.take([&model](const Values & values) {
    model.gravity = values.gravity;
    std::size_t k = 0;
    for (auto & entry : model.payload) entry.second = values.payload[k++];
  });
}

std::string Surroundings::carried() const
{
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  for (const auto & [name, payload] : payloads_)
    text += (text.empty() ? "" : ", ") + name + " (" + std::to_string(payload.inertia.m) +
            " kg at " + payload.frame_id + ")";
  return text.empty() ? "none" : text;
}

std::string Surroundings::refused(const Payload & payload) const
{
  const auto & i = payload.inertia;
  const std::string which = "payload '" + payload.name + "'";
  if (std::find(frames_.begin(), frames_.end(), payload.frame_id) == frames_.end()) {
    std::string known;
    for (const auto & frame : frames_) known += (known.empty() ? "" : ", ") + frame;
    return which + " is fixed to '" + payload.frame_id + "', and the object takes payloads at " +
           (known.empty() ? "no frame" : known) + ": name the frame in the parameter "
           "payload_frames, or in --inputs where the object is made";
  }
  if (!all_finite({i.m, i.com.x, i.com.y, i.com.z, i.ixx, i.ixy, i.iyy, i.ixz, i.iyz, i.izz}))
    return which + " has a number that is not finite";
  if (i.m < 0.0 || i.ixx < 0.0 || i.iyy < 0.0 || i.izz < 0.0)
    return which + " has a negative mass or moment of inertia";
  const double most = MULTIPLE * largest_effort_;
  if (i.m * STANDARD_GRAVITY * (LEVER + std::hypot(i.com.x, i.com.y, i.com.z)) > most)
    return which + " has " + std::to_string(i.m) + " kg, which on a lever of 1 m need more than "
           "ten times the largest effort limit, " + std::to_string(largest_effort_) +
           ": give kg and m";
  return "";
}

template <typename Response>
void Surroundings::answer(const std::string & wrong, Response & response) const
{
  response.success = wrong.empty();
  response.message = wrong.empty() ? "ok" : wrong + "; nothing changed";
  for (const auto & entry : payloads_) response.payloads.push_back(entry.second);
}

void Surroundings::carry(Payloads payloads)
{
  payloads_ = std::move(payloads);
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    values_.payload[k] = {};
    for (const auto & entry : payloads_) {
      if (entry.second.frame_id != frames_[k]) continue;
      const auto own = parameters_of(entry.second.inertia);
      for (std::size_t j = 0; j < own.size(); ++j) values_.payload[k][j] += own[j];
    }
  }
  changed_.give(values_);
}

void Surroundings::set_gravity(
  const SetGravity::Request & request, SetGravity::Response & response)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto & g = request.gravity;
  response.success = takes_gravity_ && plausible_gravity(g.x, g.y, g.z);
  response.message = "ok";
  if (!takes_gravity_)
    response.message = "the object has gravity as a constant: write it with --inputs gravity";
  else if (!response.success)
    response.message = "gravity " + GRAVITY_HAS_TO_BE + "; nothing changed";
  if (!response.success) return;
  values_.gravity = {g.x, g.y, g.z};
  changed_.give(values_);
}

void Surroundings::set_payload(
  const SetPayload::Request & request, SetPayload::Response & response)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  auto payloads = payloads_;
  std::string wrong;
  for (const auto & payload : request.payloads) {
    if (wrong.empty()) wrong = refused(payload);
    payloads[payload.name] = payload;
  }
  if (wrong.empty()) carry(std::move(payloads));
  answer(wrong, response);
}

void Surroundings::clear_payload(
  const ClearPayload::Request & request, ClearPayload::Response & response)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  auto payloads = payloads_;
  std::string wrong;
  if (request.names.empty()) payloads.clear();
  for (const auto & name : request.names)
    if (payloads.erase(name) == 0 && wrong.empty()) wrong = "no payload '" + name + "'";
  if (wrong.empty()) carry(std::move(payloads));
  answer(wrong, response);
}
}  // namespace dyn_controllers
