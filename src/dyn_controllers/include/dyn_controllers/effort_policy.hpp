// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__EFFORT_POLICY_HPP_
#define DYN_CONTROLLERS__EFFORT_POLICY_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "dyn_controllers/braking.hpp"

namespace dyn_controllers
{
/// What the motors get when commands end.
enum class ShutdownCommand { damp, none, zero, ramp_to_zero, hold_gravity };

/// Limits of each joint in N m or N and N m/s or N/s, which may be infinite; durations in s.
struct EffortSettings
{
  std::vector<double> limit;
  std::vector<double> rate;
  double ramp = 0.5;
  double hold = 0.2;
  double damp = 2.0;
  double damping_time = 0.1;  ///< in which damping takes velocities to 37 %
  ShutdownCommand shutdown = ShutdownCommand::damp;
};

/// Inputs of a step, one entry for each joint; null: unknown.
struct EffortInputs
{
  const std::vector<double> * wanted = nullptr;    ///< efforts of a valid state
  const std::vector<double> * gravity = nullptr;   ///< at the newest positions, without what the
                                                   ///< hardware adds; not finite: as before
  const std::vector<double> * velocity = nullptr;  ///< as far as positions show it, NaN: unknown
  const std::vector<double> * mass = nullptr;      ///< mass matrix there, row by row
  double age = 0.0;                                ///< s, of the velocity
};

constexpr double MAX_FOLLOWED = 0.4;  ///< rad/s or m/s: faster joints are damped first

/// Whether a joint is so fast that it is damped before it is followed; NaN: it is not.
inline bool is_fast(const std::vector<double> & velocity, double most = MAX_FOLLOWED)
{
  return std::any_of(
    velocity.begin(), velocity.end(), [most](double v) { return std::abs(v) > most; });
}

/// The state machine between wanted efforts and motors, as docs/safety.md describes it.
///
/// Every effort that a controller sends comes out of `step`. It is the class of the same name in
/// dyn_ros/safety/effort_policy.py: dyn_msgs/policy/effort_policy.json specifies both.
///
/// Commands stay within the limits of effort. They change by at most the limit of the rate: where
/// one joint would change faster, all go the same share of their way. Where what is wanted steps
/// they ramp. No command depends on the effort of the motion before: holding is gravity at the
/// newest positions, and damping is s(t) gravity - M v / damping_time, as `Damping` has it, without
/// M where trust in the model is missing.
///
/// Times are those of a steady clock, s. `step` allocates nothing.
class EffortPolicy
{
public:
  enum class Phase { waiting, following, holding, damping, ending };
  enum class Event {
    follow,     ///< a valid state, with wanted efforts
    unsettled,  ///< a valid state, too soon after a loss to be followed
    hold,       ///< an invalid state or command, and the reaction to it
    damp,
    zero,
    tick,    ///< nothing but time
    stop,    ///< deactivation
    release  ///< the motors belong to another controller
  };
  /// What commands may rely on; restored with the next state that is followed.
  enum class Trust {
    full,
    no_model,  ///< at overspeed: gravity or inertia of the model may drive the arm
    no_order   ///< efforts reach other joints than they are sent to
  };

  EffortPolicy() = default;

  /// \throws std::invalid_argument arrays of different sizes, or a limit or duration that no joint
  ///   can have; the message names the joint.
  EffortPolicy(const std::vector<std::string> & joints, EffortSettings settings);

  /// Begin at efforts that the motors give now, within the limits; NaN counts as zero.
  void begin(const std::vector<double> & efforts, double now);

  /// Ramp to what is wanted from now on, for it may step.
  void ramp();

  /// One step. \return whether `command` is to be sent.
  bool step(double now, Event event, const EffortInputs & inputs = {});

  /// The shutdown command where no step follows: zero, or gravity at the newest positions.
  /// Only zero while nothing is sent, or trust is missing. `command` and `phase` stay.
  const std::vector<double> & last_command(ShutdownCommand shutdown);

  /// Efforts that were sent last.
  const std::vector<double> & command() const { return command_; }

  Phase phase() const { return phase_; }

  /// Whether a command has been sent since the beginning.
  bool speaks() const { return speaks_; }

  /// Whether an arm is damped that is still fast, by velocities that positions do not show yet.
  bool damps(const std::vector<double> & measured) const
  {
    return speaks_ && phase_ == Phase::damping && is_fast(measured);
  }

  /// How many of the efforts that were wanted last are over a limit, or not finite.
  std::size_t exceeded() const { return exceeded_; }

  Trust trust = Trust::full;

private:
  enum class Order { none, keep, hold, damp, zero, ramp_to_zero, hold_gravity, release };

  bool may_follow(double now, bool fast);
  bool follow(const std::vector<double> * wanted, double now);
  bool handle_invalid_state(double now, Event event, const EffortInputs & inputs);
  Order order(double now, Event event) const;
  void begin_damping(double now);
  void enter(Phase phase, double now);
  void start_ramp(double duration);
  double within(std::size_t joint, double effort) const;
  void damp(double now, const EffortInputs & inputs);
  void finish(double now);
  void arrive(double now, double end);
  void apply_limits(double now);

  EffortSettings settings_;
  Phase phase_ = Phase::waiting;
  std::vector<double> command_, gravity_, goal_;
  std::vector<double> aim_, last_;         ///< efforts that a step goes to, and comes from
  std::vector<double> offset_;             ///< what a ramp adds at its beginning
  std::vector<double> before_, trend_;     ///< what was wanted last, and its change
  Damping damping_;
  bool trusted_ = true;  ///< whether damping holds gravity
  double since_ = 0.0, last_time_ = 0.0;   ///< of the phase, of the last command
  double trouble_ = INFINITE;  ///< when an interruption began
  double calm_ = 0.0;                      ///< since when states have been valid
  double end_ = 0.0;                       ///< when a shutdown command is over
  bool holds_ = false;  ///< whether damping is for the one that holds gravity
  double ramp_time_ = 0.0, ramp_duration_ = 0.0;
  bool speaks_ = false;                    ///< whether a command was sent since the beginning
  bool begins_ = false, resumes_ramp_ = false;
  std::size_t exceeded_ = 0;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__EFFORT_POLICY_HPP_
