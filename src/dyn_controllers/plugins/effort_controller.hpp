// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef EFFORT_CONTROLLER_HPP_
#define EFFORT_CONTROLLER_HPP_

#include <memory>
#include <string>
#include <vector>

#include "controller_interface/chainable_controller_interface.hpp"
#include "dyn_controllers/effort_policy.hpp"
#include "dyn_controllers/model.hpp"
#include "dyn_controllers/parameters.hpp"
#include "report.hpp"
#include "surroundings.hpp"

namespace dyn_controllers
{
using controller_interface::CallbackReturn;
using controller_interface::return_type;

/// What GravityCompensation and ComputedTorque share: positions in, efforts of a model out.
class EffortController : public controller_interface::ChainableControllerInterface
{
public:
  CallbackReturn on_init() override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State &) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State &) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State &) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;

protected:
  /// Function of the object that gives the efforts, without friction.
  virtual std::string quantity() const = 0;
  /// What these efforts contain, as dyn_msgs/JointEfforts says it.
  virtual std::uint8_t terms() const = 0;
  virtual bool needs_velocity() const = 0;
  /// Interfaces of each joint that a controller before this one commands.
  virtual std::vector<std::string> reference_kinds() const = 0;
  /// What a reference is where nobody commands one.
  virtual double no_reference() const = 0;
  /// More to be done at configure.
  virtual void configure() {}
  /// Called before efforts are computed, with the measured state in `positions_`, `velocities_`.
  virtual void enter_references() {}
  /// Called after that: change efforts of the commanded joints.
  virtual void add_references(std::vector<double> & /*wanted*/) {}
  /// Begin, at activation; positions are not known yet.
  virtual void begin() {}

  std::vector<hardware_interface::CommandInterface::SharedPtr>
  on_export_reference_interfaces_list() override;
  return_type update_reference_from_subscribers(
    const rclcpp::Time &, const rclcpp::Duration &) override;
  return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

  /// Reference of a kind (see reference_kinds) of a commanded joint.
  double reference(std::size_t joint, std::size_t kind) const;
  void forget_references();

  dyn_controllers_parameters::Params params_;
  std::unique_ptr<Model> model_;
  std::vector<std::string> joints_;           ///< that are commanded
  std::vector<std::size_t> commanded_;        ///< their places among those of the model
  std::vector<double> positions_, velocities_;  ///< measured, of all joints

private:
  struct Function
  {
    std::string quantity, options;  ///< as of `dyn-core codegen`
    double sign;                    ///< with which its efforts are added
  };
  std::vector<Function> functions() const;
  void warn_of_unknown_parameters();
  Object object() const;
  EffortSettings settings() const;
  double start_effort(std::size_t joint) const;
  bool read_state(double dt);

  std::shared_ptr<dyn_controllers_parameters::ParamListener> listener_;
  /// The base class resizes its own vector after they are exported, so they are kept here.
  std::vector<hardware_interface::CommandInterface::SharedPtr> references_;
  std::shared_ptr<Surroundings> surroundings_;
  std::shared_ptr<Report> report_;
  EffortPolicy policy_;
  ShownVelocity shown_;
  std::vector<double> wanted_, present_, commanded_positions_, commanded_velocities_;
  double unread_ = 0.0, unchanged_ = 0.0;
};
}  // namespace dyn_controllers

#endif  // EFFORT_CONTROLLER_HPP_
