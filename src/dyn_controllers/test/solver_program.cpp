// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
// Loads the plug-in for inverse_dynamics_solver as its users do, with parameters of the node. Reads
// positions, velocities and accelerations, and prints inertia matrix, Coriolis, gravity, friction
// and torques, a line each; or what was refused.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#if __has_include(<inverse_dynamics_solver/inverse_dynamics_solver.hpp>)
#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#else
#include <inverse_dynamics_solver/inverse_dynamics_solver.h>
#endif
#include <pluginlib/class_loader.hpp>
#include <rclcpp/rclcpp.hpp>

Eigen::VectorXd numbers()
{
  std::size_t count = 0;
  std::cin >> count;
  Eigen::VectorXd result(count);
  std::string word;
  for (auto & x : result) {
    std::cin >> word;
    x = std::strtod(word.c_str(), nullptr);
  }
  return result;
}

void print(const Eigen::MatrixXd & matrix)
{
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) std::printf("%a ", matrix(i, j));
  std::printf("\n");
}

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  try {
    rclcpp::NodeOptions options;
    options.automatically_declare_parameters_from_overrides(true);
    const auto node = std::make_shared<rclcpp::Node>("solver_program", options);
    pluginlib::ClassLoader<inverse_dynamics_solver::InverseDynamicsSolver> loader(
      "inverse_dynamics_solver", "inverse_dynamics_solver::InverseDynamicsSolver");
    const auto solver = loader.createSharedInstance("dyn_controllers/InverseDynamicsSolver");
    solver->initialize(node->get_node_parameters_interface(), "solver");
    const auto q = numbers(), v = numbers(), a = numbers();
    print(solver->getInertiaMatrix(q));
    print(solver->getCoriolisVector(q, v));
    print(solver->getGravityVector(q));
    print(solver->getFrictionVector(v));
    print(solver->getTorques(q, v, a));
  } catch (const std::exception & error) {
    std::printf("refused: %s\n", error.what());
  }
  rclcpp::shutdown();
  return 0;
}
