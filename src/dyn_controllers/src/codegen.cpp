// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/codegen.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

extern char ** environ;

namespace dyn_controllers
{
namespace
{
namespace fs = std::filesystem;

/// A folder that goes with everything in it.
struct Folder
{
  Folder()
  {
    auto name = (fs::temp_directory_path() / "dyn_controllers_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no folder can be made as " + name);
    path = name;
  }
  ~Folder()
  {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder &) = delete;
  Folder & operator=(const Folder &) = delete;
  fs::path path;
};

std::string text_of(const fs::path & path)
{
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Start a command in a process group of its own, which writes its output into a file.
pid_t started(const std::vector<std::string> & words, const fs::path & output)
{
  std::vector<char *> pointers;
  for (const auto & word : words) pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t process = 0;
  const int wrong =
    posix_spawnp(&process, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (wrong)
    throw std::runtime_error(
      "the command '" + words[0] + "' cannot be run (" + std::strerror(wrong) +
      "): install dyn_core with its extra `cli`, or name a file in the parameter `kernel`");
  return process;
}

/// Run a command to its end. \throws std::runtime_error it fails or takes too long.
void run(const std::vector<std::string> & words, const fs::path & output, double timeout)
{
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(timeout);
  const pid_t process = started(words, output);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(process, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (Clock::now() > end) {
      kill(-process, SIGKILL);
      waitpid(process, &status, 0);
      throw std::runtime_error(
        words[0] + " took longer than " + std::to_string(timeout) +
        " s: make the object beforehand, and name it in the parameter `kernel`. " + text_of(output));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // If the program ignores SIGCHLD the status is unknown; the file then decides.
  if (ended > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
    throw std::runtime_error(words[0] + " failed: " + text_of(output));
}
}  // namespace

Object load_or_generate(
  const std::string & kernel, const std::vector<std::string> & command,
  const std::string & description, const std::string & functions, const std::string & inputs,
  double timeout)
{
  if (!kernel.empty()) return Object::load(kernel, description);
  if (command.empty())
    throw std::runtime_error(
      "parameter kernel is empty: set it to the path of this robot's object, which `dyn-core "
      "codegen --lang object` writes, or set codegen_command to [dyn-core]");
  const Folder folder;
  const auto robot = folder.path / "robot.urdf", out = folder.path / "out";
  std::ofstream(robot, std::ios::binary) << description;
  auto words = command;
  for (const std::string word : {"codegen", robot.c_str(), "--functions", functions.c_str()})
    words.push_back(word);
  for (const std::string word : {"--lang", "object", "--inputs", inputs.c_str(), "--out"})
    words.push_back(word);
  words.push_back(out);
  run(words, folder.path / "output", timeout);
  std::error_code wrong;
  for (const auto & entry : fs::directory_iterator(out, wrong))
    if (entry.path().extension() == ".so") return Object::load(entry.path(), description);
  throw std::runtime_error(words[0] + " wrote no object: " + text_of(folder.path / "output"));
}
}  // namespace dyn_controllers
