// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "controller_fixture.hpp"
#include "dyn_controllers/gravity_compensation.hpp"

using GravityCompensationTest = ControllerTest<dyn_controllers::GravityCompensation>;
using testing::ElementsAre;

TEST_F(GravityCompensationTest, joints_without_interfaces_are_left_out_and_locked)
{
  ASSERT_TRUE(configure({}));
  EXPECT_THAT(
    controller_.command_interface_configuration().names,
    ElementsAre("shoulder/effort", "elbow/effort"));
  EXPECT_THAT(
    controller_.state_interface_configuration().names,
    ElementsAre(
      "shoulder/position", "shoulder/velocity", "elbow/position", "elbow/velocity",
      "shoulder/effort", "elbow/effort"));
}

TEST_F(GravityCompensationTest, efforts_are_those_of_gravity)
{
  ASSERT_TRUE(start(0.3, -1.1));
  for (int k = 0; k < 200; ++k) {
    set(0.3, -1.1);
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.3, -1.1), 1e-9);
  EXPECT_NEAR(effort("elbow"), elbow_gravity(0.3, -1.1), 1e-9);
}

TEST_F(GravityCompensationTest, references_are_added_while_a_controller_precedes)
{
  ASSERT_TRUE(start_chained());
  for (const double effort_of_elbow : {1.5, NOT_A_NUMBER}) {
    for (int k = 0; k < 200; ++k) {
      refer("elbow/effort", effort_of_elbow);
      ASSERT_EQ(update(), Return::OK);
    }
    const double added = std::isfinite(effort_of_elbow) ? effort_of_elbow : 0.0;
    EXPECT_NEAR(effort("elbow"), elbow_gravity(0.0, 0.0) + added, 1e-9);
  }
  refer("elbow/effort", 1.5);
  ASSERT_EQ(update(), Return::OK);
  controller_.get_node()->deactivate();
  ASSERT_TRUE(controller_.set_chained_mode(false));
  controller_.get_node()->activate();
  for (int k = 0; k < 200; ++k) ASSERT_EQ(update(), Return::OK);
  EXPECT_NEAR(effort("elbow"), elbow_gravity(0.0, 0.0), 1e-9);
}

TEST_F(GravityCompensationTest, nothing_is_sent_to_hardware_that_compensates_gravity)
{
  compensates = true;
  ASSERT_TRUE(start());
  for (int k = 0; k < 200; ++k) ASSERT_EQ(update(), Return::OK);
  EXPECT_EQ(effort("shoulder"), 0.0);
}

TEST_F(GravityCompensationTest, a_loss_holds_gravity_at_the_newest_positions_then_damps)
{
  ASSERT_TRUE(start());
  for (int k = 0; k < 200; ++k) ASSERT_EQ(update(), Return::OK);
  double elbow = 0.0;
  for (int k = 0; k < 150; ++k) {
    set(NOT_A_NUMBER, elbow = 0.5 - 0.5 * std::exp(-k * DT / 0.03));
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_NEAR(effort("elbow"), elbow_gravity(0.0, elbow), 1e-9);
  int cycles = 0;
  while (update() == Return::OK && cycles < 5000) ++cycles;
  EXPECT_NEAR(cycles * DT, 2.05, 0.02);
  EXPECT_EQ(effort("shoulder"), 0.0);
  EXPECT_EQ(effort("elbow"), 0.0);
}

TEST_F(GravityCompensationTest, states_that_come_in_every_other_cycle_are_used)
{
  ASSERT_TRUE(start());
  for (int k = 0; k < 1000; ++k) {
    set(k % 2 ? NOT_A_NUMBER : 0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 1e-9);
}

TEST_F(GravityCompensationTest, states_that_come_again_and_again_end_in_damping)
{
  ASSERT_TRUE(start());
  for (int k = 0; k < 1000; ++k) {
    set(k % 30 < 15 ? 0.0 : NOT_A_NUMBER, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  // Gravity is held, while nothing else is followed.
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 1e-6);
}

struct GapTest : GravityCompensationTest, testing::WithParamInterface<double>
{
};

TEST_P(GapTest, an_arm_in_motion_is_braked)
{
  ASSERT_TRUE(start());
  const double v = 0.3, inertia = 0.05 + 2.0 * 0.25 * 0.25 + 0.02 + 0.7 * 0.7 + 0.001 + 0.1 * 0.91 * 0.91;
  for (int k = 0; k < 200; ++k) {
    set(v * k * DT, 0.0, v, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  const double q = v * 200 * DT;
  for (int k = 0; k < 30; ++k) {
    set(NOT_A_NUMBER, GetParam(), NOT_A_NUMBER, GetParam());
    ASSERT_EQ(update(), Return::OK);
  }
  const double kept = std::exp(-0.02 / 0.1);  // since the timeout of 10 ms
  const double expected = shoulder_gravity(q, 0.0) - inertia * v * kept / 0.1;
  EXPECT_NEAR(effort("shoulder"), expected, 0.1);
  for (int k = 0; k < 800; ++k) ASSERT_EQ(update(), Return::OK);
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(q + 0.1 * v, 0.0), 0.1);
}

INSTANTIATE_TEST_SUITE_P(ElbowIsKnownOrNot, GapTest, testing::Values(0.0, std::nan("")));

TEST_F(GravityCompensationTest, positions_that_freeze_in_a_motion_are_a_loss)
{
  ASSERT_TRUE(start());
  const double q = move(0.5, -0.5);
  for (int k = 0; k < 60; ++k) {
    set(q, -q, 0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_LT(effort("shoulder"), shoulder_gravity(q, -q) - 1.0);
  for (int k = 0; k < 2300; ++k) update();
  EXPECT_EQ(effort("shoulder"), 0.0);
}

TEST_F(GravityCompensationTest, one_joint_that_stops_dead_has_met_an_obstacle_if_its_velocity_ends)
{
  ASSERT_TRUE(start());
  const double q = move(0.5, 0.0);
  set(q, 0.0, 0.0, 0.0);
  for (int k = 0; k < 3000; ++k) ASSERT_EQ(update(), Return::OK);
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(q, 0.0), 1e-9);
}

TEST_F(GravityCompensationTest, one_joint_that_stops_dead_is_lost_if_its_velocity_goes_on)
{
  ASSERT_TRUE(start());
  move(0.5, 0.0);
  for (int k = 0; k < 3000; ++k) update();
  EXPECT_EQ(effort("shoulder"), 0.0);
}

TEST_F(GravityCompensationTest, positions_that_change_to_degrees_are_never_believed)
{
  ASSERT_TRUE(start(0.3, 0.001));
  for (int k = 0; k < 200; ++k) ASSERT_EQ(update(), Return::OK);
  set(0.3 * 57.3, 0.001 * 57.3);
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(update(), Return::OK);
    EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.3, 0.001), 0.05) << k;
  }
  for (int k = 0; k < 1500; ++k) update();
  EXPECT_EQ(effort("shoulder"), 0.0);
}

TEST_F(GravityCompensationTest, positions_that_jump_a_little_for_good_are_not_believed)
{
  ASSERT_TRUE(start());
  for (int k = 0; k < 200; ++k) ASSERT_EQ(update(), Return::OK);
  set(0.4, 0.0);  // its joint moves 0.2 rad at most in 0.1 s
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(update(), Return::OK);
    EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 0.05) << k;
  }
}

TEST_F(GravityCompensationTest, an_arm_that_moves_at_activation_is_braked_first)
{
  ASSERT_TRUE(start(0.0, 0.0, 1.0));
  for (int k = 0; k < 100; ++k) {
    set(k * DT, 0.0, 1.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
    if (k > 60) {
      EXPECT_LT(effort("shoulder"), shoulder_gravity(k * DT, 0.0) - 5.0) << k;
    }
  }
  for (int k = 0; k < 900; ++k) {
    set(0.12 - 0.02 * std::exp(-k * DT / 0.02), 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.12, 0.0), 1e-6);
}

TEST_F(GravityCompensationTest, an_arm_that_cannot_be_held_does_not_begin)
{
  ASSERT_TRUE(configure({{"limits.effort_scale", 0.1}}));
  EXPECT_FALSE(activate());
}

TEST_F(GravityCompensationTest, an_arm_whose_positions_are_unknown_does_not_begin)
{
  ASSERT_TRUE(configure({}));
  EXPECT_FALSE(activate(NOT_A_NUMBER));
}

TEST_F(GravityCompensationTest, measured_efforts_of_a_resting_arm_have_to_agree_with_the_model)
{
  const double shoulder = shoulder_gravity(0.0, 0.0), elbow = elbow_gravity(0.0, 0.0);
  ASSERT_TRUE(configure({}));
  measure(shoulder, -elbow);
  EXPECT_FALSE(activate());
  measure(0.0, 0.0);  // brakes, or a robot that compensates gravity itself
  EXPECT_FALSE(activate());
  measure(1.1 * shoulder, elbow);
  EXPECT_TRUE(activate());
}

TEST_F(GravityCompensationTest, measured_efforts_are_not_compared_where_they_mean_nothing)
{
  ASSERT_TRUE(configure({{"measured_effort", "other"}}));
  measure(100.0, 100.0);
  EXPECT_TRUE(activate());
}

TEST_F(GravityCompensationTest, a_disagreement_is_accepted_on_request)
{
  ASSERT_TRUE(configure({{"accept_effort_disagreement", true}}));
  measure(-shoulder_gravity(0.0, 0.0), 0.0);
  EXPECT_TRUE(activate());
}

TEST_F(GravityCompensationTest, a_limit_of_the_rate_that_brakes_too_late_is_refused)
{
  EXPECT_FALSE(configure({{"limits.effort_rate", 49.0}}));
}

TEST_F(GravityCompensationTest, a_joint_at_overspeed_is_braked_and_the_controller_fails)
{
  ASSERT_TRUE(start());
  double q = 0.0, v = 0.0;
  int cycles = 0;
  auto result = Return::OK;
  for (; result == Return::OK && cycles < 3000; ++cycles) {
    if (cycles == 50) v = 3.5;
    q += DT * v;
    set(std::remainder(q, 6.283185307179586), 0.0, v, 0.0);
    result = update();
    if (cycles > 150) {
      EXPECT_LE(effort("shoulder") * v, 1e-9) << cycles;  // never drives
      v += DT * effort("shoulder");                       // 1 kg m^2
    }
  }
  EXPECT_EQ(result, Return::ERROR);
  EXPECT_LT(std::abs(v), 1.5);
}

TEST_F(GravityCompensationTest, a_joint_that_falls_faster_than_positions_may_jump_is_braked)
{
  ASSERT_TRUE(start());
  double q = 0.0, v = 0.0;
  for (int k = 0; k < 1000; ++k) {
    if (k > 50) v = std::min(v + 0.5, 40.0);
    q += DT * v;
    set(q, 0.0, v, 0.0);
    ASSERT_EQ(update(), Return::OK);
    if (k > 500) {
      EXPECT_LT(effort("shoulder"), -1.0) << k;
    }
  }
}

TEST_F(GravityCompensationTest, a_clock_that_stops_or_goes_back_stops_no_ramp)
{
  ASSERT_TRUE(start());
  now_ = 1.0;
  for (int k = 0; k < 200; ++k) ASSERT_EQ(update(k < 5 ? DT : k % 2 ? 0.0 : -DT), Return::OK);
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 1e-9);
}

TEST_F(GravityCompensationTest, a_velocity_spike_at_rest_changes_nothing)
{
  ASSERT_TRUE(start());
  for (int k = 0; k < 500; ++k) {
    set(0.0, 0.0, k > 200 && k < 300 ? 30.0 : 0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 1e-9);
}

TEST_F(GravityCompensationTest, measured_efforts_are_commanded_from_activation_on)
{
  ASSERT_TRUE(configure({{"start_effort", "measured"}}));
  measure(shoulder_gravity(0.0, 0.0), elbow_gravity(0.0, 0.0));
  ASSERT_TRUE(activate());
  EXPECT_EQ(effort("shoulder"), shoulder_gravity(0.0, 0.0));
  EXPECT_EQ(effort("elbow"), elbow_gravity(0.0, 0.0));
}

TEST_F(GravityCompensationTest, efforts_are_zero_after_deactivation)
{
  ASSERT_TRUE(start());
  for (int k = 0; k < 200; ++k) ASSERT_EQ(update(), Return::OK);
  EXPECT_NE(effort("shoulder"), 0.0);
  controller_.get_node()->deactivate();
  EXPECT_EQ(effort("shoulder"), 0.0);
}

TEST_F(GravityCompensationTest, gravity_is_held_after_deactivation_on_request)
{
  ASSERT_TRUE(configure({{"shutdown.command", "hold_gravity"}}));
  ASSERT_TRUE(activate());
  for (int k = 0; k < 200; ++k) ASSERT_EQ(update(), Return::OK);
  controller_.get_node()->deactivate();
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 1e-9);
}

TEST_F(GravityCompensationTest, hardware_compensates_gravity_has_to_be_set)
{
  EXPECT_FALSE(configure({}, false));
}

TEST_F(GravityCompensationTest, an_effort_limit_of_zero_is_refused)
{
  EXPECT_FALSE(configure({{"limits.effort_scale", 0.0}}));
}

TEST_F(GravityCompensationTest, efforts_stay_within_the_limits_of_joint_and_interface)
{
  ASSERT_TRUE(configure({{"limits.effort_scale", 0.1}, {"accept_effort_disagreement", true}}));
  ASSERT_TRUE(activate());
  for (int k = 0; k < 200; ++k) ASSERT_EQ(update(), Return::OK);
  EXPECT_NEAR(effort("shoulder"), -0.1 * 50.0, 1e-9);
  EXPECT_NEAR(effort("elbow"), -0.1 * 15.0, 1e-9);
}

TEST_F(GravityCompensationTest, a_joint_without_interfaces_cannot_be_commanded)
{
  EXPECT_FALSE(configure({{"joints", std::vector<std::string>{"shoulder", "finger"}}}));
}

TEST_F(GravityCompensationTest, parameters_of_old_names_are_refused)
{
  for (const auto name : {"damp_duration", "generate_kernel", "on_deactivate", "ramp_duration"})
    EXPECT_FALSE(configure({{name, 1.0}})) << name;
}

TEST_F(GravityCompensationTest, gravity_that_is_too_strong_is_refused)
{
  EXPECT_FALSE(configure({{"gravity", std::vector<double>{0.0, 0.0, -98.1}}}));
}

TEST_F(GravityCompensationTest, parameters_are_read_only)
{
  ASSERT_TRUE(configure({}));
  EXPECT_FALSE(controller_.get_node()->set_parameter({"hold.duration", 1.0}).successful);
  EXPECT_FALSE(controller_.get_node()->has_parameter("natural_frequency"));
}
