// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/effort_policy.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace dyn_controllers
{
namespace
{
constexpr double MAX_STEP_S = 0.1;   ///< between two commands that ramp and rate count
constexpr double SETTLE_S = 0.1;     ///< of valid states, after which an interruption is over
constexpr double END_S = 0.1;        ///< that a shutdown command takes at least
constexpr double HELD_SHARE = 0.5;   ///< of damping, in which gravity is compensated in full
constexpr double MAX_RATE = 1e12;    ///< N m/s or N/s
constexpr double SMALL = 1e-9;       ///< N m or N, of rounding
constexpr double LARGEST = std::numeric_limits<double>::max();
constexpr double STILL = 0.02;        ///< rad/s or m/s: gravity does not hold faster joints
constexpr double AT_REST = 0.1;       ///< rad/s or m/s

bool all_finite(const std::vector<double> & numbers)
{
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

bool any(const std::vector<double> & numbers)
{
  return std::any_of(numbers.begin(), numbers.end(), [](double x) { return x != 0.0; });
}

/// \throws std::invalid_argument see EffortPolicy. Comparisons are written to refuse NaN too.
void check(const std::vector<std::string> & joints, const EffortSettings & settings)
{
  if (settings.limit.size() != joints.size() || settings.rate.size() != joints.size())
    throw std::invalid_argument("limit and rate need an entry for each joint");
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const auto where = "joint '" + joints[k] + "': ";
    if (!(settings.limit[k] > 0.0))
      throw std::invalid_argument(
        where + "effort limit is " + std::to_string(settings.limit[k]) +
        ", so that nothing moves it: set the limit in the description, and limits.effort_scale, "
        "above 0, or leave the joint out of joints if it has no motor");
    if (!(settings.rate[k] >= 0.0))
      throw std::invalid_argument(
        where + "limit of the effort's rate is " + std::to_string(settings.rate[k]) +
        ": set limits.effort_rate to 0 or more");
  }
  for (const double duration : {settings.ramp, settings.hold, settings.damp})
    if (!(duration >= 0.0 && duration < INFINITE))
      throw std::invalid_argument(
        "a duration is " + std::to_string(duration) + " s: give a finite one of 0 or more");
  if (!(settings.damping_time > 0.0))
    throw std::invalid_argument(
      "damp.time_constant is " + std::to_string(settings.damping_time) + " s: set it above 0");
}
}  // namespace

EffortPolicy::EffortPolicy(const std::vector<std::string> & joints, EffortSettings settings)
: settings_(std::move(settings)), damping_(joints.size())
{
  check(joints, settings_);
  for (auto & limit : settings_.limit) limit = std::min(limit, LARGEST);
  for (auto & rate : settings_.rate) rate = std::min(rate, MAX_RATE);
  for (auto * array : {&command_, &gravity_, &goal_, &aim_, &last_, &offset_, &before_, &trend_})
    array->assign(joints.size(), 0.0);
}

void EffortPolicy::begin(const std::vector<double> & efforts, double now)
{
  for (std::size_t k = 0; k < command_.size(); ++k)
    command_[k] = within(k, std::isfinite(efforts[k]) ? efforts[k] : 0.0);
  std::fill(before_.begin(), before_.end(), UNKNOWN);
  std::fill(trend_.begin(), trend_.end(), 0.0);
  speaks_ = false;
  trust = Trust::full;
  trouble_ = INFINITE;
  calm_ = last_time_ = now;
  exceeded_ = 0;
  start_ramp(settings_.ramp);
  enter(Phase::following, now);
}

void EffortPolicy::ramp()
{
  resumes_ramp_ = true;
  if (phase_ != Phase::holding && phase_ != Phase::damping) start_ramp(settings_.ramp);
}

bool EffortPolicy::step(double now, Event event, const EffortInputs & inputs)
{
  exceeded_ = 0;
  if (inputs.gravity && all_finite(*inputs.gravity))
    std::copy(inputs.gravity->begin(), inputs.gravity->end(), gravity_.begin());
  if (phase_ == Phase::waiting) return false;
  if (event == Event::follow || event == Event::unsettled) {
    calm_ = std::min(calm_, now);
    const bool fast = inputs.velocity && is_fast(*inputs.velocity);
    if (fast && (phase_ == Phase::ending || !speaks_)) begin_damping(now);  // perhaps it falls
    if (event == Event::follow && may_follow(now, fast)) return follow(inputs.wanted, now);
  } else if (event == Event::hold || event == Event::damp) {
    calm_ = INFINITE;
    trouble_ = std::min(trouble_, now);
  }
  const bool sent = handle_invalid_state(now, event, inputs);
  speaks_ = speaks_ || sent;
  return sent;
}

const std::vector<double> & EffortPolicy::last_command(ShutdownCommand shutdown)
{
  const bool holds = shutdown == ShutdownCommand::hold_gravity && trust == Trust::full &&
                     phase_ != Phase::waiting;
  for (std::size_t k = 0; k < goal_.size(); ++k) goal_[k] = holds ? within(k, gravity_[k]) : 0.0;
  return goal_;
}

/// Whether wanted efforts are followed: no interruption lasts, or it has just begun.
bool EffortPolicy::may_follow(double now, bool fast)
{
  if (now - calm_ >= SETTLE_S) trouble_ = INFINITE;
  if (phase_ == Phase::damping) return trouble_ == INFINITE && !fast;
  return now - trouble_ <= settings_.hold;
}

bool EffortPolicy::follow(const std::vector<double> * wanted, double now)
{
  if (!wanted) return false;
  for (std::size_t k = 0; k < wanted->size(); ++k)
    if (!(std::abs((*wanted)[k]) <= settings_.limit[k])) ++exceeded_;
  if (exceeded_ && !all_finite(*wanted)) return false;
  if (phase_ != Phase::following) {
    const bool moment = phase_ == Phase::holding && now - since_ <= MAX_STEP_S;
    if (resumes_ramp_ || !moment) start_ramp(settings_.ramp);
    enter(Phase::following, now);
  }
  trust = Trust::full;
  speaks_ = true;
  std::copy(wanted->begin(), wanted->end(), aim_.begin());
  apply_limits(now);
  return true;
}

/// Enter the phase in which an event results, and move the command as that phase does.
bool EffortPolicy::handle_invalid_state(double now, Event event, const EffortInputs & inputs)
{
  auto order = this->order(now, event);
  const bool braked = holds_ && phase_ == Phase::damping && inputs.velocity &&
                      now - since_ >= HELD_SHARE * settings_.damp &&
                      !is_fast(*inputs.velocity, AT_REST);
  if (event == Event::stop) holds_ = order == Order::hold_gravity;
  if (order == Order::hold_gravity && inputs.velocity && is_fast(*inputs.velocity, STILL))
    order = Order::damp;  // first, for with gravity alone the arm would continue
  else if (order == Order::keep && braked)
    order = Order::hold_gravity;
  const bool orders = order != Order::keep;
  if (order == Order::none || order == Order::release || (orders && !speaks_)) {
    if (event == Event::stop || event == Event::release) phase_ = Phase::waiting;
    return false;
  }
  if (order == Order::zero) {
    const bool ticking = phase_ != Phase::following;
    const bool ends = event != Event::zero && (event == Event::stop || ticking);
    std::fill(command_.begin(), command_.end(), 0.0);
    std::fill(before_.begin(), before_.end(), UNKNOWN);
    last_time_ = now;
    start_ramp(settings_.ramp);
    enter(ends ? Phase::waiting : Phase::following, now);
    return true;
  }
  if (order == Order::damp) {
    begin_damping(now);
  } else if (order == Order::hold && phase_ == Phase::following) {
    resumes_ramp_ = ramp_time_ < ramp_duration_;
    start_ramp(0.0);  // one under way may come from the effort of a motion
    enter(Phase::holding, now);
  } else if (order == Order::ramp_to_zero || order == Order::hold_gravity) {
    const double duration = order == Order::ramp_to_zero ? settings_.ramp : 0.0;
    for (std::size_t k = 0; k < goal_.size(); ++k)
      goal_[k] = order == Order::hold_gravity ? gravity_[k] : 0.0;
    start_ramp(duration);
    end_ = now + std::max(duration, END_S);
    enter(Phase::ending, now);
  }
  if (phase_ == Phase::holding) {
    std::copy(gravity_.begin(), gravity_.end(), aim_.begin());
    apply_limits(now);
    return true;
  }
  if (phase_ == Phase::damping) {
    // The arm is not let down while states come again and again.
    if (event == Event::follow || event == Event::unsettled) since_ = now;
    damp(now, inputs);
    return true;
  }
  if (phase_ != Phase::ending) return false;
  finish(now);
  return true;
}

void EffortPolicy::begin_damping(double now)
{
  if (phase_ == Phase::damping) return;
  start_ramp(0.0);  // one under way would take most of the damping away
  damping_.begin(settings_.limit);
  enter(Phase::damping, now);
}

/// What to do because of an event, or of time that has passed; keep: go on.
EffortPolicy::Order EffortPolicy::order(double now, Event event) const
{
  constexpr Order SHUTDOWN[] = {
    Order::damp, Order::none, Order::zero, Order::ramp_to_zero, Order::hold_gravity};
  const auto order = event == Event::stop      ? SHUTDOWN[static_cast<int>(settings_.shutdown)]
                     : event == Event::hold    ? Order::hold
                     : event == Event::damp    ? Order::damp
                     : event == Event::zero    ? Order::zero
                     : event == Event::release ? Order::release
                                               : Order::keep;
  if (order == Order::release) return order;
  const bool orders = order != Order::keep, ticking = phase_ != Phase::following;
  if (trust == Trust::no_order && (orders || ticking)) return Order::zero;
  if (trust == Trust::no_model && (orders || ticking) && event != Event::zero) return Order::damp;
  const bool late = now - trouble_ > settings_.hold && phase_ != Phase::ending;
  return late && (!orders || order == Order::hold) ? Order::damp : order;
}

void EffortPolicy::enter(Phase phase, double now)
{
  phase_ = phase;
  since_ = now;
  holds_ = holds_ && phase == Phase::damping;
}

void EffortPolicy::start_ramp(double duration)
{
  ramp_time_ = 0.0;
  ramp_duration_ = duration;
  begins_ = true;
}

double EffortPolicy::within(std::size_t joint, double effort) const
{
  return std::clamp(effort, -settings_.limit[joint], settings_.limit[joint]);
}

void EffortPolicy::damp(double now, const EffortInputs & inputs)
{
  const double duration = std::max(settings_.damp, 1e-9);
  const double left = std::max(0.0, 1.0 - (now - since_) / duration);
  // Later the arm sinks, maybe at overspeed: that shows nothing.
  if (left >= 1.0 - HELD_SHARE) trusted_ = trust == Trust::full;
  const double share = trusted_ ? std::min(1.0, left / (1.0 - HELD_SHARE)) : 0.0;
  for (std::size_t k = 0; k < aim_.size(); ++k) aim_[k] = share * within(k, gravity_[k]);
  // Gravity that is commanded has shown the model to be right.
  const bool shown = trusted_ && any(gravity_), known = inputs.mass && all_finite(*inputs.mass);
  if (inputs.velocity)
    damping_.add_efforts(
      *inputs.velocity, now, settings_.damping_time, inputs.age, known ? inputs.mass : nullptr,
      shown, aim_);
  const double fade = std::min(1.0, left / std::min(END_S / duration, 1.0 - HELD_SHARE));
  for (auto & effort : aim_) effort *= fade;
  arrive(now, since_ + std::max(duration, END_S));
  if (left == 0.0 && !any(command_)) phase_ = Phase::waiting;
}

/// Move the command to the last effort of a shutdown command.
void EffortPolicy::finish(double now)
{
  std::copy(goal_.begin(), goal_.end(), aim_.begin());
  arrive(now, end_);
  bool there = true;
  for (std::size_t k = 0; k < goal_.size(); ++k)
    there = there && std::abs(command_[k] - within(k, goal_[k])) <= SMALL;
  if (!there) return;
  for (std::size_t k = 0; k < goal_.size(); ++k) command_[k] = within(k, goal_[k]);
  phase_ = Phase::waiting;
}

/// Move the command to `aim_`, where it is at the end whatever the rate.
void EffortPolicy::arrive(double now, double end)
{
  const double before = last_time_;
  std::copy(command_.begin(), command_.end(), last_.begin());
  apply_limits(now);
  if (!(end - now < END_S)) return;
  const double share =
    std::min(std::max(end - now, 0.0) / std::max(std::min(end - before, END_S), SMALL), 1.0);
  for (std::size_t k = 0; k < command_.size(); ++k) {
    const double goal = before_[k];  // that is what was wanted, within the limits
    const double most = share * std::abs(last_[k] - goal);
    command_[k] = goal + std::clamp(command_[k] - goal, -most, most);
  }
}

/// Move the command to `aim_`, within limits, rate and ramp.
///
/// Of the step at the beginning of a ramp, as much as changed in the cycle before is taken for the
/// robot's motion: a command that lagged behind it wherever ramps begin again and again (a payload
/// that changes often) would drive the robot.
void EffortPolicy::apply_limits(double now)
{
  const double apart = std::clamp(now - last_time_, 0.0, MAX_STEP_S);
  last_time_ = now;
  const bool ramping = ramp_time_ < ramp_duration_;
  if (ramping) ramp_time_ += apart;
  const double left = ramping ? std::max(0.0, 1.0 - ramp_time_ / ramp_duration_) : 0.0;
  double share = 1.0;  // of their way that all efforts go
  for (std::size_t k = 0; k < command_.size(); ++k) {
    double wanted = within(k, aim_[k]), trend = wanted - before_[k];
    command_[k] = within(k, command_[k]);
    if (begins_) {
      const double lag = wanted - command_[k];
      offset_[k] = std::clamp(trend_[k], std::min(lag, 0.0), std::max(lag, 0.0)) - lag;
      trend = 0.0;
    }
    trend_[k] = std::isfinite(trend) ? trend : 0.0;
    before_[k] = wanted;
    if (ramping) wanted = within(k, wanted + left * offset_[k]);
    aim_[k] = wanted;
    const double step = settings_.rate[k] * apart, way = std::abs(wanted - command_[k]);
    if (way > step) share = std::min(share, step / way);
  }
  begins_ = false;
  for (std::size_t k = 0; k < command_.size(); ++k)
    command_[k] = share < 1.0 ? command_[k] + share * (aim_[k] - command_[k]) : aim_[k];
}
}  // namespace dyn_controllers
