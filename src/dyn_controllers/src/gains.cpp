// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/gains.hpp"

#include <cmath>

namespace dyn_controllers
{
double most_frequency(double damping_ratio, double rate)
{
  constexpr double DELAY_MARGIN = 2.5;  // periods
  const double square = damping_ratio * damping_ratio;
  const double crossover = std::sqrt(2.0 * square + std::sqrt(4.0 * square * square + 1.0));
  return rate * std::atan(2.0 * damping_ratio * crossover) / (crossover * DELAY_MARGIN);
}

std::string objection_to_gains(double natural_frequency, double damping_ratio, double rate)
{
  if (natural_frequency == 0.0) return "";
  const double most = most_frequency(damping_ratio, rate), needed = natural_frequency * rate / most;
  if (natural_frequency <= most) return "";  // not so for NaN
  const auto text = [](double x) { return std::to_string(x); };
  if (damping_ratio == 0.0)
    return "damping_ratio 0 is unstable at any update rate: set it to 0.5 or more";
  return "natural_frequency " + text(natural_frequency) + " rad/s with damping_ratio " +
         text(damping_ratio) + " needs an update rate of " + text(needed) + " Hz, it is " +
         text(rate) + " Hz, which is enough for " + text(most) +
         " rad/s: lower natural_frequency or damping_ratio";
}
}  // namespace dyn_controllers
