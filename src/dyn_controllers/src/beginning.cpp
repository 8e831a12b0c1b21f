// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/beginning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dyn_controllers
{
namespace
{
// As dyn_ros/safety/beginning.py has them.
constexpr double LARGE_GRAVITY = 0.05;  ///< part of a limit from which gravity says something
constexpr double NOISE = 0.03;          ///< of a limit: noise and offsets of an effort sensor
constexpr double WITHOUT_LIMIT = 1.0;   ///< N m or N, in place of both where no limit is given
constexpr double NEAR_ZERO = 0.25, NEAR_GRAVITY = 0.75;  ///< part of gravity that motors give
constexpr double MOST_GIVEN = 1.1;      ///< times its limit that a motor may seem to give
constexpr double SHARE = 0.2;           ///< of the larger effort: errors of model and sensors
constexpr double MAX_RATE_S = 1.0;      ///< that an effort may take from zero to its limit

constexpr const char * ADVICE =
  ": check masses, lengths, axes and effort limits of the description, gravity and the unit of "
  "measured efforts; set measured_effort to other if they are not in N m or N; "
  "accept_effort_disagreement true accepts it";

std::string text(double number)
{
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", number);
  return digits;
}

double part(double limit, double share)
{
  return std::isfinite(limit) ? share * limit : WITHOUT_LIMIT;
}

/// The effort that a joint lacks, in words; empty: none does.
std::string shortage(const Beginning & b)
{
  for (std::size_t k = 0; k < b.joints.size(); ++k)
    if (std::abs(b.gravity[k]) - b.friction[k] > b.available[k])
      return "joint '" + b.joints[k] + "' needs an effort of " + text(b.gravity[k]) + ", and " +
             text(b.available[k]) +
             " is available (effort limit times limits.effort_scale, N m or N): raise "
             "limits.effort_scale, check masses and effort limits of the description, or set "
             "accept_effort_disagreement to true";
  return "";
}

/// Which motor holds the arm with another effort than gravity, in words; empty: none.
std::string disagreement(const Beginning & b)
{
  for (std::size_t k = 0; k < b.joints.size(); ++k) {
    const double larger = std::max(std::abs(b.gravity[k]), std::abs(b.measured[k]));
    const double tolerance = b.friction[k] + part(b.limit[k], NOISE) + SHARE * larger;
    if (std::abs(b.gravity[k] - b.measured[k]) > tolerance)
      return "joint '" + b.joints[k] + "' needs " + text(b.gravity[k]) +
             " by the model, but its motor holds the resting arm with " + text(b.measured[k]) +
             " (tolerance " + text(tolerance) + ", effort limit " + text(b.limit[k]) +
             ", N m or N)";
  }
  return "";
}
}  // namespace

std::string objection_to_beginning(const Beginning & b)
{
  const bool is_measured = std::any_of(
    b.measured.begin(), b.measured.end(), [](double x) { return std::isfinite(x); });
  bool is_large = false, idle = is_measured;
  double given = 0.0, square = 0.0;
  std::size_t most = 0;
  for (std::size_t k = 0; is_measured && k < b.joints.size(); ++k) {
    if (!std::isfinite(b.measured[k])) continue;
    is_large = is_large || std::abs(b.gravity[k]) > part(b.limit[k], LARGE_GRAVITY);
    idle = idle && std::abs(b.measured[k]) <= part(b.limit[k], NOISE) + b.friction[k];
    if (square == 0.0 || std::abs(b.gravity[k]) > std::abs(b.gravity[most])) most = k;
    given += b.measured[k] * b.gravity[k];
    square += b.gravity[k] * b.gravity[k];
  }
  const auto compared = [&] {
    return "joint '" + b.joints[most] + "' has a measured effort of " + text(b.measured[most]) +
           " and a gravity effort of " + text(b.gravity[most]);
  };
  if (b.compensates) {
    if (!is_large || !b.is_first) return "";
    if (!b.is_total && given > NEAR_GRAVITY * square)
      return compared() + ", although hardware_compensates_gravity is true: set measured_effort "
             "to total if measured efforts contain the robot's compensation, or "
             "hardware_compensates_gravity to false if it has none";
    if (b.is_total && given < NEAR_ZERO * square)
      return compared() + ", although hardware_compensates_gravity is true and measured_effort "
             "total: release the brakes first, or set hardware_compensates_gravity to false if "
             "the robot has no compensation";
    return "";
  }
  if (const auto lack = shortage(b); !lack.empty() || !is_measured) return lack;
  for (std::size_t k = 0; k < b.joints.size(); ++k)
    if (std::abs(b.measured[k]) > MOST_GIVEN * b.limit[k])
      return "the motor of joint '" + b.joints[k] + "' is measured to give " +
             text(b.measured[k]) + ", but its effort limit is " + text(b.limit[k]) +
             ": set measured_effort to other if measured efforts are not in N m or N";
  const auto wrong = disagreement(b);
  if (idle && b.is_first && is_large && given < NEAR_ZERO * square && !wrong.empty())
    return compared() + ": set start_effort to zero if brakes or a stand hold the robot, or "
           "hardware_compensates_gravity to true if the robot compensates gravity itself";
  const bool hangs = idle && !b.follows && (b.is_total || !b.is_first);  // on brakes, or freely
  return hangs || !b.resting || wrong.empty() ? "" : wrong + ADVICE;
}

std::string objection_to_rate(const std::string & joint, double limit, double rate)
{
  if (!std::isfinite(limit) || rate * MAX_RATE_S >= limit) return "";
  return "joint '" + joint + "': with limits.effort_rate " + text(rate) + " its effort takes more "
         "than " + text(MAX_RATE_S) + " s from zero to its limit, too long to brake the arm: give "
         "at least " + text(limit / MAX_RATE_S) + ", or 0";
}
}  // namespace dyn_controllers
