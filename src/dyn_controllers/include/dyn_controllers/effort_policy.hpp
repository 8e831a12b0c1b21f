// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__EFFORT_POLICY_HPP_
#define DYN_CONTROLLERS__EFFORT_POLICY_HPP_

#include <cstddef>
#include <vector>

namespace dyn_controllers
{
/// What the policy is told once; the arrays have an entry for each joint that is commanded.
struct EffortSettings
{
  std::vector<double> limit;    ///< N m or N, of the effort's magnitude; may be infinite
  std::vector<double> rate;     ///< N m/s or N/s, of its change; may be infinite
  std::vector<double> damping;  ///< N m s/rad or N s/m, while it damps
  double ramp_duration = 0.5;   ///< s, from the efforts at the beginning to those that are wanted
  double hold_duration = 0.2;   ///< s of bad states for which the last efforts stay
  double damp_duration = 2.0;   ///< s after that, in which they go to zero, if the rate allows
};

/// Measured velocities as far as positions show them, for damping.
///
/// Each is cut to between zero and 1.5 times the mean velocity of its position over the last 20 to
/// 70 ms: of a joint at rest whose sensor is broken nothing is left, and damping drives no joint
/// faster. Zero where a position is not finite, and in the first 20 ms.
class ShownVelocity
{
public:
  ShownVelocity() = default;

  explicit ShownVelocity(std::size_t joints);

  /// Forget all positions.
  void begin();

  /// Take what is measured, dt s after the last time. Allocates nothing.
  void measure(
    const std::vector<double> & position, const std::vector<double> & velocity, double dt);

  const std::vector<double> & velocity() const { return velocity_; }

private:
  std::vector<double> before_, earlier_;  ///< positions, the latter those before the former
  double passed_ = 0.0, between_ = 0.0;   ///< s since before_, and from earlier_ to before_
  bool known_ = false, earlier_known_ = false;
  std::vector<double> velocity_;
};

/// From efforts that are wanted to efforts that motors are given.
///
/// They begin at what the motors give and ramp to what is wanted; they stay within limits of effort
/// and of its rate: where one may not change as fast as it shall, all go the same share of their
/// way, so that what the robot does is between what it did and what is wanted. While states are bad
/// they hold, then damp, then there is an error. When states are good again they ramp from where
/// they are.
class EffortPolicy
{
public:
  enum class Phase { follow, hold, damp, error };

  EffortPolicy() = default;

  /// \throws std::invalid_argument arrays of different sizes, or a number that makes no sense.
  explicit EffortPolicy(EffortSettings settings);

  /// Begin at efforts that the motors give now; one that is not finite counts as zero.
  void begin(const std::vector<double> & present);

  /// One cycle in which the state is good. Allocates nothing.
  /// \param wanted efforts; if one of them is not finite, the cycle counts as one of a bad state
  /// \param dt s since the last cycle
  Phase follow(const std::vector<double> & wanted, double dt);

  /// One cycle in which it is not. Allocates nothing.
  /// \param velocity by which it damps, see ShownVelocity; one that is not finite counts as zero
  Phase endure(const std::vector<double> & velocity, double dt);

  /// What the motors are given.
  const std::vector<double> & efforts() const { return efforts_; }

  Phase phase() const { return phase_; }

  /// How many joints were at the limit of their effort in the last cycle.
  std::size_t saturated() const { return saturated_; }

private:
  void approach(double dt);

  EffortSettings settings_;
  std::vector<double> efforts_, start_, aim_;
  Phase phase_ = Phase::follow;
  double since_ = 0.0;
  std::size_t saturated_ = 0;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__EFFORT_POLICY_HPP_
