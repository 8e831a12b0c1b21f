// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__CARTESIAN_IMPEDANCE_HPP_
#define DYN_CONTROLLERS__CARTESIAN_IMPEDANCE_HPP_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dyn_controllers/dyn_controllers_cartesian_impedance_parameters.hpp"
#include "dyn_controllers/effort_controller.hpp"
#include "realtime_tools/realtime_thread_safe_box.hpp"

namespace dyn_controllers
{
/// A spring and a damper between a tool and its target, and a posture beside it.
///
/// The law is the object's function impedance_efforts; this fills its inputs. The last target pose
/// is kept. While the arm is held or damped, and at activation, the target is where the tool is.
class CartesianImpedance : public EffortController
{
protected:
  void declare_parameters() override;
  std::string quantity() const override { return of_tool("impedance_efforts"); }
  std::string further_functions() const override { return "," + of_tool("frame_placement"); }
  std::uint8_t terms() const override;
  bool needs_velocity() const override { return true; }
  std::vector<std::string> reference_kinds() const override { return {"position"}; }
  void prepare() override;
  void set_up() override;
  void reset() override { stays_ = true; }
  const char * apply_references() override;

private:
  enum Kind { POSE, TWIST, WRENCH };  ///< of messages on ~/target_pose, ...
  /// Numbers of the newest messages as the law takes them, and how many of each kind have come.
  struct Target
  {
    std::array<std::array<double, 16>, 3> numbers{};
    std::array<std::uint64_t, 3> counts{};
  };
  struct PostureJoint
  {
    std::size_t joint;   ///< of the model
    double goal, place;  ///< rad or m; to `place` the spring pulls, which goes to `goal`
  };
  struct Inbox
  {
    Target received;
    realtime_tools::RealtimeThreadSafeBox<Target> box;
  };

  template <typename Message, typename Read>
  void accept(Kind kind, Read read);
  std::string of_tool(const std::string & quantity) const;
  void set_gains();
  void begin_here();
  void stay();
  void take(const Target & target);
  void approach();
  std::vector<double> & input(const char * name) { return model_->inputs.at(name); }

  std::shared_ptr<dyn_controllers_cartesian_impedance::ParamListener> own_listener_;
  dyn_controllers_cartesian_impedance::Params own_;
  std::shared_ptr<Inbox> inbox_;
  std::vector<PostureJoint> posture_;
  std::array<std::uint64_t, 3> taken_{};  ///< messages of each kind
  std::array<double, 3> when_{};          ///< s, the last of them
  std::array<double, 16> goal_{};  ///< the last target pose, to which the input goes
  double moved_at_ = 0.0;          ///< s, when it did
  double rate_ = 0.0;              ///< Hz, that the gains are for
  bool moves_ = false;             ///< whether the input target_twist is that of this motion
  bool stays_ = true;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__CARTESIAN_IMPEDANCE_HPP_
