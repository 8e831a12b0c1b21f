// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__EFFORT_CONTROLLER_HPP_
#define DYN_CONTROLLERS__EFFORT_CONTROLLER_HPP_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controller_interface/chainable_controller_interface.hpp"
#include "dyn_controllers/beginning.hpp"
#include "dyn_controllers/controller_report.hpp"
#include "dyn_controllers/dyn_controllers_effort_controller_parameters.hpp"
#include "dyn_controllers/effort_policy.hpp"
#include "dyn_controllers/environment_inputs.hpp"
#include "dyn_controllers/model.hpp"
#include "dyn_controllers/velocity_guard.hpp"
#include "joint_limits/joint_limits.hpp"

namespace dyn_controllers
{
using controller_interface::CallbackReturn;
using controller_interface::return_type;

/// What the controllers share: a state in, efforts of a model out.
class EffortController : public controller_interface::ChainableControllerInterface
{
public:
  CallbackReturn on_init() override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State & previous_state) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State & previous_state) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State & previous_state) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;

protected:
  using Params = dyn_controllers_effort_controller::Params;

  /// Declare parameters of the controller alone.
  virtual void declare_parameters() = 0;
  /// Function of the object that gives the efforts, without friction.
  virtual std::string quantity() const = 0;
  /// What these efforts contain, as dyn_msgs/JointEfforts says it.
  virtual std::uint8_t terms() const = 0;
  virtual bool needs_velocity() const = 0;
  /// Interfaces of each joint that a preceding controller commands.
  virtual std::vector<std::string> reference_kinds() const = 0;
  /// Functions that the object needs beside, each after a comma.
  virtual std::string further_functions() const { return ""; }
  /// Name inputs of the model, before functions are used. \throws std::exception it fails
  virtual void prepare() {}
  /// More to be done at configure. \throws std::exception it fails
  virtual void set_up() {}
  /// More to be done at activation; positions are not known yet.
  virtual void reset() {}
  /// Enter what is desired in the model, for the measured state in `positions_`, `velocities_`.
  /// \return why the motion has to end; null: it continues
  virtual const char * apply_references() { return nullptr; }
  /// Change the wanted efforts of the commanded joints.
  virtual void add_references(std::vector<double> & /*wanted*/) {}

  std::vector<hardware_interface::CommandInterface::SharedPtr>
  on_export_reference_interfaces_list() override;
  return_type update_reference_from_subscribers(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;
  return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

  /// Ramp to what is wanted from now on, for it may step.
  void ramp() { policy_.ramp(); }

  /// Whether wanted efforts were followed in the last cycle: the arm was not held or damped.
  bool follows() const { return policy_.phase() == EffortPolicy::Phase::following; }

  /// s, the sum of all periods.
  double now() const { return now_; }

  /// Hz, at which efforts follow states: less than the update rate where cycles were late.
  double rate() const { return std::min<double>(get_update_rate(), 1.0 / longest_); }

  /// Reference of a kind (see reference_kinds) of a commanded joint; `otherwise` if there is none.
  double reference(std::size_t joint, std::size_t kind, double otherwise) const;
  void set_reference(std::size_t joint, std::size_t kind, double value);

  /// Subscribe; `receive` takes `owner` and a message, and returns in words why it refuses it. A
  /// message that is received while the controller is configured anew keeps the owner until then.
  template <typename Message, typename Owner, typename Receive>
  void listen(const char * topic, const std::shared_ptr<Owner> & owner, Receive receive)
  {
    const auto node = get_node();
    subscriptions_.push_back(node->create_subscription<Message>(
      topic, rclcpp::SystemDefaultsQoS(),
      [weak = std::weak_ptr<Owner>(owner), logger = node->get_logger(), clock = node->get_clock(),
       topic, receive](const typename Message::ConstSharedPtr message) {
        const auto alive = weak.lock();
        const std::string objection = alive ? std::invoke(receive, *alive, *message) : "";
        if (!objection.empty())
          RCLCPP_WARN_THROTTLE(logger, *clock, 1000, "%s refused: %s", topic, objection.c_str());
      }));
  }

  /// Name of the root link.
  const std::string & root() const { return root_; }

  /// Terms that efforts contain and the hardware adds, as dyn_msgs/JointEfforts says it.
  std::uint8_t content() const;

  Params params_;
  std::unique_ptr<Model> model_;
  std::vector<std::string> joints_;             ///< that are commanded
  std::vector<std::size_t> commanded_;          ///< their places among those of the model
  std::vector<double> positions_, velocities_;  ///< newest valid ones of all joints
  std::vector<double> max_velocity_;  ///< rad/s or m/s, of the description; infinite: no limit

private:
  /// A state interface.
  struct Reading
  {
    std::size_t joint;  ///< its place among those of the model
    bool is_velocity;
  };
  /// Where a joint was when its position was last used.
  struct Place
  {
    double position = 0.0;
    double age = 0.0;       ///< s
    bool is_known = false;  ///< whether that was in this cycle
    bool jumped = false;    ///< whether positions have jumped since then
  };

  void refuse_old_parameters();
  Object object() const;
  void read_description();
  void choose_joints();
  void lock(std::size_t joint);
  std::string objection();
  EffortSettings settings();
  VelocityGuard velocity_guard();
  void create_report();
  void clear_references();
  double start_effort(std::size_t joint) const;
  const char * read_state(double dt);
  void locate(std::size_t joint, double position, double dt);
  void compute_wanted();
  bool may_be_meant() const;
  void coast(double dt);
  bool is_lost(std::size_t joint) const;
  void select(const std::vector<double> & all, std::vector<double> & commanded) const;
  void note_standing();
  void step(const char * fault, bool coasts);
  void write(const std::vector<double> & efforts);

  std::shared_ptr<dyn_controllers_effort_controller::ParamListener> listener_;
  std::map<std::string, std::set<std::string>> joint_interfaces_;  ///< as "state position"
  std::map<std::string, joint_limits::JointLimits> limits_;        ///< by joint
  std::map<std::string, double> friction_;                         ///< dry, N m or N, by joint
  std::string locked_;  ///< names of joints, for diagnostics
  std::string root_;
  std::vector<Reading> readings_;
  std::shared_ptr<EffortAgreement> agreement_;
  EffortAgreement::Standing standing_;
  std::shared_ptr<EnvironmentInputs> environment_;
  std::shared_ptr<ControllerReport> report_;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> subscriptions_;
  Beginning beginning_;
  EffortPolicy policy_;
  VelocityGuard guard_;
  VelocityCheck check_;
  std::vector<bool> turns_;  ///< which joints turn without end
  std::vector<double> measured_positions_, measured_velocities_;  ///< NaN: not known
  std::vector<Place> places_;
  Standstill standstill_;
  std::vector<double> wanted_, gravity_, velocity_, braking_;  ///< of the commanded joints
  std::vector<double> mass_;                                   ///< theirs, row by row
  ControllerReport::Cycle cycle_;
  double now_ = 0.0;  ///< s, the sum of all periods
  double longest_ = 0.0;  ///< s, the longest period of late, or in which a joint is not read
  double unread_ = 0.0, unchanged_ = 0.0, still_ = 0.0;  ///< s
  bool reads_effort_ = false;     ///< whether efforts of commanded joints are read
  bool compares_effort_ = false;  ///< whether they are compared with the model's at activation
  bool lost_ = false;             ///< whether a position is not known in this cycle
  const char * ending_ = nullptr;  ///< why the arm is damped until update() fails
  std::chrono::steady_clock::time_point deactivated_{};
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__EFFORT_CONTROLLER_HPP_
