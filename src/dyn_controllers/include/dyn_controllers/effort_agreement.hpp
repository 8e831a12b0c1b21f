// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__EFFORT_AGREEMENT_HPP_
#define DYN_CONTROLLERS__EFFORT_AGREEMENT_HPP_

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "dyn_controllers/beginning.hpp"
#include "dyn_controllers/model.hpp"
#include "realtime_tools/realtime_thread_safe_box.hpp"

namespace dyn_controllers
{
/// Refuses changes that contradict the efforts with which motors hold a resting arm, as
/// dyn_ros/outputs/effort_agreement.py does.
class EffortAgreement
{
public:
  /// What acts on the arm.
  struct Environment
  {
    std::array<double, 3> gravity{};
    std::map<std::string, InertialParameters> payload;  ///< by frame
    bool operator==(const Environment & other) const
    {
      return gravity == other.gravity && payload == other.payload;
    }
  };
  /// Where the arm is, while efforts are commanded.
  struct Standing
  {
    std::vector<double> positions;  ///< of all joints
    std::vector<double> measured;   ///< efforts of the commanded joints
    bool rests = false, is_known = false;
  };

  /// \param quantity function of efforts at rest where the object has no `rnea`
  /// \param commanded places of the commanded joints among those of the model
  /// \param beginning what is known of these; empty `measured`: efforts are not compared
  EffortAgreement(
    const Model & model, const std::string & quantity, const std::vector<std::size_t> & commanded,
    const Beginning & beginning);

  /// Change where the arm is. Never waits and allocates nothing.
  void update(const Standing & standing);

  /// Know nothing of the arm any more.
  void forget() { box_.set(unknown_); }

  /// Why the arm contradicts a change, in words; empty: it does not.
  std::string objection(const Environment & now, const Environment & then);

private:
  std::string objection(const Environment & environment, const std::vector<double> & positions);

  Model model_;  ///< apart from that of the cycle
  std::vector<std::size_t> commanded_;
  Beginning beginning_;
  Standing unknown_;
  realtime_tools::RealtimeThreadSafeBox<Standing> box_;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__EFFORT_AGREEMENT_HPP_
