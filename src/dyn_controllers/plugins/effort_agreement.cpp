// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/effort_agreement.hpp"

#include <algorithm>
#include <functional>

namespace dyn_controllers
{
EffortAgreement::EffortAgreement(
  const Model & model, const std::string & quantity, const std::vector<std::size_t> & commanded,
  const Beginning & beginning)
: model_(model.object()), commanded_(commanded), beginning_(beginning)
{
  model_.use(model.object().find("rnea") ? "rnea" : quantity);
  unknown_.positions.resize(model.joints().size());
  unknown_.measured = beginning.measured;
  beginning_.is_first = false;
  beginning_.follows = true;
  forget();
}

void EffortAgreement::update(const Standing & standing)
{
  const auto copy = [&standing](Standing & kept) {
    std::copy(standing.positions.begin(), standing.positions.end(), kept.positions.begin());
    std::copy(standing.measured.begin(), standing.measured.end(), kept.measured.begin());
    kept.rests = standing.rests;
    kept.is_known = standing.is_known;
  };
  (void)box_.try_set(std::ref(copy));  // else the next cycle
}

std::string EffortAgreement::objection(const Environment & now, const Environment & then)
{
  const auto standing = box_.get();
  if (!standing.is_known || beginning_.compensates) return "";
  beginning_.measured = standing.measured;
  beginning_.resting = standing.rests;
  if (!objection(now, standing.positions).empty()) return "";  // what is measured says nothing
  const auto reason = objection(then, standing.positions);
  if (!reason.empty() || standing.measured.empty() || standing.rests) return reason;
  return "the arm moves: change gravity and payloads while it rests, when efforts are compared";
}

/// Why motors cannot be holding the arm in this environment, in words; empty: they can.
std::string EffortAgreement::objection(
  const Environment & environment, const std::vector<double> & positions)
{
  for (std::size_t k = 0; k < positions.size(); ++k) model_.set_position(k, positions[k]);
  model_.gravity = environment.gravity;
  for (auto & [frame, parameters] : model_.payload) parameters = environment.payload.at(frame);
  const auto & efforts = model_.hold();
  for (std::size_t k = 0; k < commanded_.size(); ++k) beginning_.gravity[k] = efforts[commanded_[k]];
  return objection_to_beginning(beginning_);
}
}  // namespace dyn_controllers
