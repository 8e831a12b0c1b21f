// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "controller_fixture.hpp"
#include "dyn_controllers/gravity_compensation.hpp"
#include "dyn_msgs/srv/set_payload.hpp"

struct PayloadTest : ControllerTest<dyn_controllers::GravityCompensation>
{
  using SetPayload = dyn_msgs::srv::SetPayload;

  /// Let the tool carry a mass at a height above it.
  SetPayload::Response::SharedPtr carry(double mass, double height = 0.0)
  {
    const auto node = std::make_shared<rclcpp::Node>("client");
    const auto client = node->create_client<SetPayload>("controller/set_payload");
    const auto request = std::make_shared<SetPayload::Request>();
    request->payloads.resize(1);
    request->payloads[0].name = request->payloads[0].frame_id = "tool";
    request->payloads[0].inertia.m = mass;
    request->payloads[0].inertia.com.z = height;
    while (!client->service_is_ready()) rclcpp::spin_some(node);
    auto answer = client->async_send_request(request);
    while (answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      rclcpp::spin_some(controller_.get_node()->get_node_base_interface());
      rclcpp::spin_some(node);
    }
    return answer.get();
  }

  /// Hold the arm where it is, with the efforts that its motors are measured to give.
  void hold(double shoulder, double elbow)
  {
    ASSERT_TRUE(configure({}));
    measure(shoulder_gravity(shoulder, elbow), elbow_gravity(shoulder, elbow));
    ASSERT_TRUE(activate(shoulder, elbow));
    for (int k = 0; k < 200; ++k) ASSERT_EQ(update(), Return::OK);
  }
};

TEST_F(PayloadTest, payloads_that_motors_do_not_hold_are_refused)
{
  hold(0.0, 0.0);
  const auto refused = carry(1.0);
  EXPECT_FALSE(refused->success);
  EXPECT_THAT(refused->message, testing::HasSubstr("but its motor holds the resting arm with"));
  EXPECT_TRUE(carry(0.01)->success);
  move(0.3, 0.0);
  EXPECT_THAT(carry(0.02)->message, testing::HasSubstr("the arm moves"));
}

TEST_F(PayloadTest, motors_that_let_the_arm_hang_hold_no_payload)
{
  hold(std::acos(0.0), 0.0);
  EXPECT_FALSE(carry(5.0, 0.2)->success);
}
