// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "controller_manager/controller_manager.hpp"
#include "rclcpp/executors/single_threaded_executor.hpp"
#include "rclcpp/utilities.hpp"

struct LoadControllerTest : testing::TestWithParam<std::string>
{
};

TEST_P(LoadControllerTest, load_controller)
{
  rclcpp::init(0, nullptr);
  std::ifstream file(ARM_FILE);
  const std::string arm{std::istreambuf_iterator<char>(file), {}};
  const auto executor = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
  controller_manager::ControllerManager manager(executor, arm, true, "test_controller_manager");
  manager.set_parameter({"controller.params_file", PARAMETERS_FILE});
  manager.set_parameter({"controller.type", "dyn_controllers/" + GetParam()});
  EXPECT_NE(manager.load_controller("controller"), nullptr);
  rclcpp::shutdown();
}

INSTANTIATE_TEST_SUITE_P(
  OfDynControllers, LoadControllerTest,
  testing::Values("CartesianImpedance", "ComputedTorque", "GravityCompensation"));
