// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
// Reads commands, one a line, and answers each with a line: the core of the controllers for tests.
// Built with -DREFUSE_ALLOCATION it ends where a cycle allocates or frees memory.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "dyn_controllers/codegen.hpp"
#include "dyn_controllers/effort_policy.hpp"
#include "dyn_controllers/model.hpp"
#include "dyn_controllers/sha256.hpp"

namespace
{
bool in_cycle = false;
}

#ifdef REFUSE_ALLOCATION
extern "C" void * __libc_malloc(std::size_t);
extern "C" void __libc_free(void *);
void refuse()
{
  if (in_cycle) {
    in_cycle = false;
    std::fputs("memory was allocated or freed in a cycle\n", stderr);
    std::abort();
  }
}
extern "C" void * malloc(std::size_t size)
{
  refuse();
  return __libc_malloc(size);
}
extern "C" void free(void * memory)
{
  refuse();
  __libc_free(memory);
}
#endif

using dyn_controllers::EffortPolicy;
using Numbers = std::vector<double>;

struct Robot
{
  std::unique_ptr<dyn_controllers::Model> model;
  EffortPolicy policy;
  dyn_controllers::ShownVelocity shown;
  Numbers wanted;
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

std::string said(const Numbers & numbers)
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
EffortPolicy::Phase cycle(
  Robot & robot, const Numbers & position, const Numbers & velocity, const Numbers & reference)
{
  auto & model = *robot.model;
  bool good = true;
  for (std::size_t k = 0; k < position.size(); ++k) {
    good = good && std::isfinite(position[k]);
    model.set_position(k, position[k]);
    model.set_velocity(k, velocity[k]);
    model.set_desired_velocity(k, velocity[k]);
  }
  constexpr double DT = 0.001;
  robot.shown.measure(position, velocity, DT);
  if (!good) return robot.policy.endure(robot.shown.velocity(), DT);
  const auto & tau = model.evaluate();
  for (std::size_t k = 0; k < tau.size(); ++k) robot.wanted[k] = tau[k] + reference[k];
  return robot.policy.follow(robot.wanted, DT);
}

std::string content_of(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string loaded(Robot & robot, dyn_controllers::Object object)
{
  robot.model = std::make_unique<dyn_controllers::Model>(std::move(object));
  robot.wanted.assign(robot.model->joints().size(), 0.0);
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
      robot, dyn_controllers::generate(
               command, content_of(description), functions, inputs, timeout));
  }
  if (verb == "use") {
    words >> text;
    robot.model->use(text, number(words));
    return "used";
  }
  const auto n = robot.model->joints().size();
  if (verb == "settings") {  // limit rate damping ramp hold damp
    dyn_controllers::EffortSettings settings;
    settings.limit.assign(n, number(words));
    settings.rate.assign(n, number(words));
    settings.damping.assign(n, number(words));
    settings.ramp_duration = number(words);
    settings.hold_duration = number(words);
    settings.damp_duration = number(words);
    robot.policy = EffortPolicy(settings);
    return "set";
  }
  if (verb == "begin") {
    robot.policy.begin(numbers(words, n));
    robot.shown = dyn_controllers::ShownVelocity(n);
    return said(robot.policy.efforts());
  }
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
    const auto phase = cycle(robot, position, velocity, reference);
    in_cycle = false;
    static const char * const PHASES[] = {"follow", "hold", "damp", "error"};
    return std::string(PHASES[static_cast<int>(phase)]) + " " +
           std::to_string(robot.policy.saturated()) + " " + said(robot.policy.efforts());
  }
  throw std::invalid_argument("no command " + verb);
}

int main()
{
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
