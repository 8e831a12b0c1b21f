// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
// Reads commands, one a line, and answers each with a line: the core of the controllers for tests.
// Built with AddressSanitizer, it ends where a cycle allocates or frees memory.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "dyn_controllers/beginning.hpp"
#include "dyn_controllers/codegen.hpp"
#include "dyn_controllers/effort_policy.hpp"
#include "dyn_controllers/model.hpp"
#include "dyn_controllers/sha256.hpp"
#include "dyn_controllers/velocity_guard.hpp"

// Of sanitizer/allocator_interface.h, which not every compiler installs.
extern "C" int __sanitizer_install_malloc_and_free_hooks(
  void (*)(const volatile void *, std::size_t), void (*)(const volatile void *));

bool in_cycle = false;

void refuse()
{
  if (in_cycle) {
    in_cycle = false;
    std::fputs("memory was allocated or freed in a cycle\n", stderr);
    std::abort();
  }
}

using dyn_controllers::EffortPolicy;
using Event = EffortPolicy::Event;
using Numbers = std::vector<double>;

const std::map<std::string, Event> EVENTS{
  {"follow", Event::follow}, {"unsettled", Event::unsettled}, {"hold", Event::hold},
  {"damp", Event::damp},     {"zero", Event::zero},           {"tick", Event::tick},
  {"stop", Event::stop},     {"release", Event::release}};
const char * const PHASES[] = {"waiting", "following", "holding", "damping", "ending"};
const char * const SHUTDOWN[] = {"damp", "none", "zero", "ramp_to_zero", "hold_gravity"};
const char * const TRUST[] = {"full", "no_model", "no_order"};

/// The place of a word among others.
template <std::size_t N>
int place(const char * const (&words)[N], const std::string & word)
{
  const auto at = std::find(std::begin(words), std::end(words), word);
  if (at == std::end(words)) throw std::invalid_argument("no word " + word);
  return static_cast<int>(at - std::begin(words));
}

struct Robot
{
  std::unique_ptr<dyn_controllers::Model> model;
  std::unique_ptr<EffortPolicy> policy;
  dyn_controllers::VelocityGuard guard;
  dyn_controllers::VelocityCheck check;
  Numbers wanted, mass;
  std::vector<std::size_t> places;
  double now = 0.0;
};

double number(std::istream & words)
{
  std::string word;
  if (!(words >> word)) throw std::invalid_argument("a number is missing");
  return std::strtod(word.c_str(), nullptr);
}

Numbers numbers(std::istream & words, std::size_t count)
{
  Numbers result(count);
  for (auto & x : result) x = number(words);
  return result;
}

std::string in_words(const Numbers & numbers)
{
  std::string text;
  char digits[64];
  for (const double x : numbers) {
    std::snprintf(digits, sizeof digits, "%a ", x);
    text += digits;
  }
  return text;
}

/// One cycle as a controller has it: positions and references in, efforts out.
void cycle(
  Robot & robot, const Numbers & position, const Numbers & velocity, const Numbers & reference)
{
  auto & model = *robot.model;
  bool valid = true;
  for (std::size_t k = 0; k < position.size(); ++k) {
    valid = valid && std::isfinite(position[k]);
    if (std::isfinite(position[k])) model.set_position(k, position[k]);
    model.set_velocity(k, velocity[k]);
    model.set_desired_velocity(k, velocity[k]);
  }
  robot.now += 0.001;
  robot.guard.measure(position, velocity, robot.now);
  const auto & shown = robot.guard.velocity();
  dyn_controllers::EffortInputs inputs{&robot.wanted, &model.hold(), &shown, nullptr, 0.0};
  if (model.mass_matrix(robot.places, robot.mass)) inputs.mass = &robot.mass;
  if (valid) {
    const auto & tau = model.evaluate();
    for (std::size_t k = 0; k < tau.size(); ++k) robot.wanted[k] = tau[k] + reference[k];
    if (robot.policy->step(robot.now, Event::follow, inputs)) return;
  }
  robot.policy->step(robot.now, Event::hold, inputs);
}

/// Numbers that a word precedes; null where the word is `-`.
const Numbers * given(std::istream & words, std::size_t count, Numbers & kept)
{
  std::string word;
  if (!(words >> word) || word == "-") return nullptr;
  kept = numbers(words, count);
  return &kept;
}

std::string state(const EffortPolicy & policy)
{
  return std::string(PHASES[static_cast<int>(policy.phase())]) + " " +
         std::to_string(policy.exceeded()) + " " + in_words(policy.command());
}

std::string content_of(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string loaded(Robot & robot, dyn_controllers::Object object)
{
  robot.model = std::make_unique<dyn_controllers::Model>(std::move(object));
  const auto n = robot.model->joints().size();
  robot.wanted.assign(n, 0.0);
  robot.mass.assign(n * n, 0.0);
  robot.places.resize(n);
  std::iota(robot.places.begin(), robot.places.end(), 0);
  std::string names;
  for (const auto & joint : robot.model->joints()) names += joint + " ";
  return names;
}

std::string answer(Robot & robot, const std::string & verb, std::istream & words)
{
  std::string text;
  if (verb == "sha256") {
    std::getline(words >> std::ws, text);
    return dyn_controllers::sha256(text);
  }
  if (verb == "load") {
    std::string object, description;
    words >> std::quoted(object) >> std::quoted(description);
    return loaded(robot, dyn_controllers::Object::load(object, content_of(description)));
  }
  if (verb == "generate") {  // description functions inputs timeout words of the command
    std::string description, functions, inputs;
    words >> std::quoted(description) >> functions >> inputs;
    const double timeout = number(words);
    std::vector<std::string> command;
    while (words >> std::quoted(text)) command.push_back(text);
    return loaded(
      robot, dyn_controllers::load_or_generate(
               "", command, content_of(description), functions, inputs, timeout));
  }
  if (verb == "use") {
    words >> text;
    robot.model->use(text, number(words));
    return "used";
  }
  if (verb == "policy") {  // ramp hold damp damping_time shutdown count limit... rate...
    dyn_controllers::EffortSettings settings;
    settings.ramp = number(words);
    settings.hold = number(words);
    settings.damp = number(words);
    settings.damping_time = number(words);
    words >> text;
    settings.shutdown =
      static_cast<dyn_controllers::ShutdownCommand>(place(SHUTDOWN, text));
    const auto joints = static_cast<std::size_t>(number(words));
    settings.limit = numbers(words, joints);
    settings.rate = numbers(words, joints);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < joints; ++k) names.push_back("joint_" + std::to_string(k));
    robot.policy = std::make_unique<EffortPolicy>(names, settings);
    return "set";
  }
  if (verb == "begin" || verb == "step" || verb == "ramp") {
    auto & policy = *robot.policy;
    const auto joints = policy.command().size();
    if (verb == "ramp") {
      policy.ramp();
      return "set";
    }
    if (verb == "begin") {  // efforts
      robot.now = 0.0;
      robot.guard =
        dyn_controllers::VelocityGuard(Numbers(joints, INFINITY), std::vector<bool>(joints), 0.1);
      policy.begin(numbers(words, joints), 0.0);
      return state(policy);
    }
    // now event trust age, then wanted, gravity, velocity, mass: each `+` and numbers, or `-`
    Numbers kept[4];
    dyn_controllers::EffortInputs inputs;
    robot.now = number(words);
    words >> text;
    const auto event = EVENTS.at(text);
    words >> text;
    if (text != "-") policy.trust = static_cast<EffortPolicy::Trust>(place(TRUST, text));
    inputs.age = number(words);
    inputs.wanted = given(words, joints, kept[0]);
    inputs.gravity = given(words, joints, kept[1]);
    inputs.velocity = given(words, joints, kept[2]);
    inputs.mass = given(words, joints * joints, kept[3]);
    in_cycle = true;
    const bool sent = policy.step(robot.now, event, inputs);
    in_cycle = false;
    return (sent ? "sent " : "none ") + state(policy);
  }
  if (verb == "guard") {  // count damping_time most... turns...
    const auto joints = static_cast<std::size_t>(number(words));
    const double time = number(words);
    const auto most = numbers(words, joints);
    std::vector<bool> turns;
    for (const double x : numbers(words, joints)) turns.push_back(x > 0.0);
    robot.guard = dyn_controllers::VelocityGuard(most, turns, time);
    robot.wanted.assign(joints, 0.0);
    return "set";
  }
  if (verb == "measure") {  // now position... velocity...
    const auto joints = robot.wanted.size();
    const double now = number(words);
    const auto position = numbers(words, joints), velocity = numbers(words, joints);
    in_cycle = true;
    robot.guard.measure(position, velocity, now);
    in_cycle = false;
    const auto fast = robot.guard.overspeed();
    return (fast ? std::to_string(*fast) : "-") + " " + in_words(robot.guard.velocity());
  }
  if (verb == "velocity_check") {  // count limit...
    const auto joints = static_cast<std::size_t>(number(words));
    robot.check =
      dyn_controllers::VelocityCheck(numbers(words, joints), std::vector<bool>(joints));
    robot.check.begin();
    robot.wanted.assign(joints, 0.0);
    return "set";
  }
  if (verb == "checked") {  // now position... velocity...
    const auto joints = robot.wanted.size();
    const double now = number(words);
    const auto position = numbers(words, joints);
    auto velocity = numbers(words, joints);
    in_cycle = true;
    const bool wrong = robot.check.cut(position, now, velocity);
    in_cycle = false;
    return (wrong ? "wrong " : "right ") + in_words(velocity) + " " +
           std::to_string(robot.check.repeated());
  }
  if (verb == "coast") return in_words(robot.guard.coast(number(words)));
  if (verb == "beginning") {  // count measured total compensates resting first, then the arrays
    const auto joints = static_cast<std::size_t>(number(words));
    dyn_controllers::Beginning beginning;
    const bool measured = number(words) > 0.0;
    beginning.is_total = number(words) > 0.0;
    beginning.compensates = number(words) > 0.0;
    beginning.resting = number(words) > 0.0;
    beginning.is_first = number(words) > 0.0;
    for (std::size_t k = 0; k < joints; ++k)
      beginning.joints.push_back("joint_" + std::to_string(k));
    for (auto * array : {&beginning.gravity, &beginning.limit, &beginning.available,
                         &beginning.friction, &beginning.measured})
      *array = numbers(words, joints);
    if (!measured) beginning.measured.clear();
    return dyn_controllers::objection_to_beginning(beginning);
  }
  if (verb == "objection_to_rate") {  // limit rate
    const double limit = number(words);
    return dyn_controllers::objection_to_rate("elbow", limit, number(words));
  }
  if (verb == "inertia") {
    const double mass = number(words);
    std::array<double, 6> inertia;
    for (auto & x : inertia) x = number(words);
    return dyn_controllers::objection_to_inertia(mass, inertia);
  }
  if (verb == "objection_to_gravity")
    return dyn_controllers::objection_to_gravity(numbers(words, 3));
  const auto n = robot.model->joints().size();
  if (verb == "gravity") {
    for (auto & x : robot.model->gravity) x = number(words);
    return "set";
  }
  if (verb == "accelerate") {
    for (std::size_t k = 0; k < n; ++k) robot.model->set_acceleration(k, number(words));
    return "set";
  }
  if (verb == "payload") {
    std::array<double, 3> center;
    std::array<double, 6> inertia;
    words >> text;
    if (!robot.model->carries_at(text)) throw std::invalid_argument("no payload at " + text);
    const double mass = number(words);
    for (auto & x : center) x = number(words);
    for (auto & x : inertia) x = number(words);
    robot.model->payload[text] = dyn_controllers::about_frame(mass, center, inertia);
    return "set";
  }
  if (verb == "cycle") {
    const auto position = numbers(words, n), velocity = numbers(words, n);
    const auto reference = numbers(words, n);
    in_cycle = true;
    cycle(robot, position, velocity, reference);
    in_cycle = false;
    return state(*robot.policy);
  }
  throw std::invalid_argument("no command " + verb);
}

int main()
{
  __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void *, std::size_t) { refuse(); }, [](const volatile void *) { refuse(); });
  Robot robot;
  std::string line, verb;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    words >> verb;
    try {
      std::cout << answer(robot, verb, words) << std::endl;
    } catch (const std::exception & error) {
      in_cycle = false;
      std::string text = error.what();
      std::replace(text.begin(), text.end(), '\n', ' ');
      std::cout << "refused: " << text << std::endl;
    }
  }
}
