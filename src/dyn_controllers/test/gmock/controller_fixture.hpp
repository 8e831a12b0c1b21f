// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef CONTROLLER_FIXTURE_HPP_
#define CONTROLLER_FIXTURE_HPP_

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller_interface/controller_interface_base.hpp"
#include "controller_interface/controller_interface_params.hpp"
#include "hardware_interface/handle.hpp"
#include "hardware_interface/loaned_command_interface.hpp"
#include "hardware_interface/loaned_state_interface.hpp"
#include "lifecycle_msgs/msg/state.hpp"
#include "rclcpp/rclcpp.hpp"

inline std::string arm()
{
  std::ifstream file(ARM_FILE);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string object_of_arm()
{
  for (const auto & entry : std::filesystem::directory_iterator(OBJECT_FOLDER))
    if (entry.path().extension() == ".so") return entry.path();
  return "";
}

/// A controller without a manager: two joints as hardware, time as an argument.
template <typename Controller>
class ControllerTest : public ::testing::Test
{
public:
  using Return = controller_interface::return_type;
  static constexpr double DT = 0.001;  ///< s
  static constexpr double G = 9.81;    ///< m/s^2

  static void SetUpTestSuite() { rclcpp::init(0, nullptr); }
  static void TearDownTestSuite() { rclcpp::shutdown(); }

protected:
  /// Initialize and configure; whether that succeeds.
  bool configure(std::vector<rclcpp::Parameter> parameters, bool declares = true)
  {
    if (declares) parameters.emplace_back("hardware_compensates_gravity", compensates);
    parameters.emplace_back("kernel", object_of_arm());
    parameters.emplace_back("ramp.duration", 0.0);
    controller_interface::ControllerInterfaceParams params;
    params.controller_name = "controller";
    params.robot_description = arm();  // and no limits: a manager that ignores them gives none
    params.update_rate = params.controller_manager_update_rate = 1000;
    params.node_options = controller_.define_custom_node_options();
    params.node_options.parameter_overrides(parameters);
    if (controller_.init(params) != Return::OK) return false;
    if (controller_.configure().id() != lifecycle_msgs::msg::State::PRIMARY_STATE_INACTIVE)
      return false;
    references_ = controller_.export_reference_interfaces();
    return true;
  }

  /// Give the interfaces that the controller asks for, and activate it in a state.
  bool activate(double shoulder = 0.0, double elbow = 0.0, double v_shoulder = 0.0)
  {
    std::vector<hardware_interface::LoanedStateInterface> states;
    for (const auto & name : controller_.state_interface_configuration().names)
      states.emplace_back(interface<hardware_interface::StateInterface>(name, states_), nullptr);
    std::vector<hardware_interface::LoanedCommandInterface> commands;
    for (const auto & name : controller_.command_interface_configuration().names)
      commands.emplace_back(
        interface<hardware_interface::CommandInterface>(name, commands_), nullptr);
    controller_.assign_interfaces(std::move(commands), std::move(states));
    set(shoulder, elbow, v_shoulder);
    const auto state = controller_.get_node()->activate();
    return state.id() == lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE;
  }

  bool start(double shoulder = 0.0, double elbow = 0.0, double v_shoulder = 0.0)
  {
    return configure({}) && activate(shoulder, elbow, v_shoulder);
  }

  /// The same behind a preceding controller.
  bool start_chained(double shoulder = 0.0, double elbow = 0.0)
  {
    return configure({}) && controller_.set_chained_mode(true) && activate(shoulder, elbow);
  }

  /// Set what motors are measured to give.
  void measure(double shoulder, double elbow)
  {
    (void)interface<hardware_interface::StateInterface>("shoulder/effort", states_)
      ->set_value(shoulder);
    (void)interface<hardware_interface::StateInterface>("elbow/effort", states_)->set_value(elbow);
  }

  /// Set positions and velocities of shoulder and elbow.
  void set(double shoulder, double elbow, double v_shoulder = 0.0, double v_elbow = 0.0)
  {
    const std::map<std::string, double> values{
      {"shoulder/position", shoulder}, {"shoulder/velocity", v_shoulder},
      {"elbow/position", elbow}, {"elbow/velocity", v_elbow}};
    for (const auto & [name, value] : values)
      if (states_.count(name)) (void)states_[name]->set_value(value);
  }

  Return update(double dt = DT)
  {
    now_ += dt;
    return controller_.update(
      rclcpp::Time(static_cast<int64_t>(now_ * 1e9)), rclcpp::Duration::from_seconds(dt));
  }

  /// Move both joints at constant velocities for 0.3 s; return where the shoulder is.
  double move(double v_shoulder, double v_elbow)
  {
    double time = 0.0;
    for (int k = 0; k < 300; ++k) {
      time = k * DT;
      set(v_shoulder * time, v_elbow * time, v_shoulder, v_elbow);
      EXPECT_EQ(update(), Return::OK);
    }
    return v_shoulder * time;
  }

  double effort(const std::string & joint)
  {
    return commands_.at(joint + "/effort")->get_optional().value();
  }

  /// Efforts that hold the arm at angles below the horizontal, with the finger at its lower limit.
  static double shoulder_gravity(double shoulder, double elbow)
  {
    return -G * ((2.0 * 0.25 + 1.1 * 0.5) * std::cos(shoulder)) + elbow_gravity(shoulder, elbow);
  }
  static double elbow_gravity(double shoulder, double elbow)
  {
    return -G * (1.0 * 0.2 + 0.1 * 0.41) * std::cos(shoulder + elbow);
  }

  template <typename Interface>
  static std::shared_ptr<Interface> interface(
    const std::string & name, std::map<std::string, std::shared_ptr<Interface>> & all)
  {
    const auto slash = name.find('/');
    if (!all.count(name))
      all[name] = std::make_shared<Interface>(hardware_interface::InterfaceDescription(
        name.substr(0, slash), hardware_info(name.substr(slash + 1))));
    return all[name];
  }

  static hardware_interface::InterfaceInfo hardware_info(const std::string & name)
  {
    hardware_interface::InterfaceInfo info;
    info.name = name;
    info.data_type = "double";
    return info;
  }

  /// Command a reference interface as a preceding controller does.
  void refer(const std::string & name, double value)
  {
    for (auto & one : references_)
      if (one->get_name() == "controller/" + name) (void)one->set_value(value);
  }

  Controller controller_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> references_;
  std::map<std::string, std::shared_ptr<hardware_interface::StateInterface>> states_;
  std::map<std::string, std::shared_ptr<hardware_interface::CommandInterface>> commands_;
  double now_ = 0.0;
  bool compensates = false;
  static constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
};

#endif  // CONTROLLER_FIXTURE_HPP_
