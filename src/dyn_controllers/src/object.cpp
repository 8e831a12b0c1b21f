// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/object.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "dyn_controllers/sha256.hpp"

namespace dyn_controllers
{
namespace
{
/// The last bytes of an object: dyn_core/export/object_writer.py.
struct Seal
{
  char magic[16];
  std::uint64_t size, checksum;
};
constexpr char MAGIC[] = "dyn_core object\n";
/// Of the self-test: dyn_core/export/object_loader.py.
constexpr double TOLERANCE = 1e-9;

std::uint64_t checksum(const std::string & content, std::size_t size)
{
  std::uint64_t total = 0xCBF29CE484222325, word;
  for (std::size_t k = 0; k + 8 <= size; k += 8) {
    std::memcpy(&word, content.data() + k, 8);
    total = (total ^ word) * 0x100000001B3;
  }
  return total;
}

std::string read(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file || content.empty())
    throw std::runtime_error(path + ": it cannot be read: name a file of dyn-core codegen");
  return content;
}

void check_seal(const std::string & content, const std::string & path)
{
  Seal seal{};
  const bool has_seal = content.size() >= sizeof seal;
  if (has_seal) std::memcpy(&seal, content.data() + content.size() - sizeof seal, sizeof seal);
  if (!has_seal || std::memcmp(seal.magic, MAGIC, sizeof seal.magic) != 0)
    throw std::runtime_error(path + ": no object of dyn_core, or a truncated one: write it anew");
  const auto size = content.size() - sizeof seal;
  if (seal.size != size || checksum(content, size) != seal.checksum)
    throw std::runtime_error(path + ": the object is damaged: write it anew");
}

/// Load what was checked under a name of its own: the system knows libraries by their paths.
std::shared_ptr<void> opened(const std::string & content, const std::string & path)
{
  auto name = (std::filesystem::temp_directory_path() / "dyn_core_XXXXXX.so").string();
  const int file = mkstemps(name.data(), 3);
  if (file < 0) throw std::runtime_error(path + ": no copy of it can be written to " + name);
  close(file);
  std::ofstream(name, std::ios::binary) << content;
  void * library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string wrong = library ? "" : dlerror();
  unlink(name.c_str());
  if (!library) throw std::runtime_error(path + ": it cannot be loaded here: " + wrong);
  return {library, dlclose};
}

/// A text with the line ends of Unix: dyn_core/export/object_writer.py hashes it so.
std::string with_line_feeds(const std::string & text)
{
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool pair = text[k] == '\r' && k + 1 < text.size() && text[k + 1] == '\n';
    if (!pair) result += text[k] == '\r' ? '\n' : text[k];
  }
  return result;
}

bool runs_here(const std::string & processor)
{
#if defined(__x86_64__)
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return (processor == "x86-64-v2" && v2) || (processor == "x86-64-v3" && v3) ||
         (processor == "x86-64-v4" && v4);
#elif defined(__aarch64__)
  return processor == "aarch64";
#else
  return false;
#endif
}

/// Compare a function with the results that came with it.
void test(const DynCoreFunction & function, const std::string & path)
{
  const double * known = function.test;
  std::vector<const double *> given;
  for (std::int64_t k = 0; k < function.input_count; known += function.inputs[k++].size)
    given.push_back(known);
  std::vector<std::vector<double>> found;
  std::vector<double *> filled;
  for (std::int64_t k = 0; k < function.output_count; ++k)
    found.emplace_back(function.outputs[k].size);
  for (auto & array : found) filled.push_back(array.data());
  function.call(given.data(), filled.data());
  for (const auto & array : found) {
    double error = 0.0, scale = 1.0;
    bool finite = true;
    for (const double x : array) {
      error = std::max(error, std::abs(x - *known));
      scale = std::max(scale, std::abs(*known++));
      finite = finite && std::isfinite(x);
    }
    if (!finite || error > TOLERANCE * scale)
      throw std::runtime_error(
        path + ": " + function.name + ": its self-test is off by " + std::to_string(error));
  }
}
}  // namespace

Object Object::load(const std::string & path, const std::string & description)
{
  const auto content = read(path);
  check_seal(content, path);
  Object object;
  object.library_ = opened(content, path);
  object.manifest_ =
    static_cast<const DynCoreManifest *>(dlsym(object.library_.get(), "dyn_core_object"));
  if (!object.manifest_) throw std::runtime_error(path + ": it has no manifest: write it anew");
  const auto & manifest = object.manifest();
  if (manifest.interface != DYN_CORE_OBJECT_INTERFACE)
    throw std::runtime_error(
      path + ": its interface has version " + std::to_string(manifest.interface) +
      ", this loader " + std::to_string(DYN_CORE_OBJECT_INTERFACE) +
      ": write it anew with the version of dyn_core that belongs to these controllers");
  if (!runs_here(manifest.processor))
    throw std::runtime_error(
      path + ": its code is for " + manifest.processor +
      " processors, which this one is not: write it with another target");
  if (sha256(with_line_feeds(description)) != manifest.description_sha256)
    throw std::runtime_error(
      path + ": not of this robot's description (" +
      (*manifest.description_sha256 ? "it was made from another" : "no description is known of it") +
      "): write it anew");
  for (std::int64_t k = 0; k < manifest.function_count; ++k) test(manifest.functions[k], path);
  return object;
}

const DynCoreFunction * Object::find(const std::string & quantity) const
{
  for (std::int64_t k = 0; k < manifest_->function_count; ++k) {
    const std::string name = manifest_->functions[k].name;
    if (name == quantity || name.rfind(quantity + "(", 0) == 0) return &manifest_->functions[k];
  }
  return nullptr;
}

const DynCoreFunction & Object::function(const std::string & quantity) const
{
  if (const auto * found = find(quantity)) return *found;
  std::string names;
  for (std::int64_t k = 0; k < manifest_->function_count; ++k)
    names += (names.empty() ? "" : ", ") + std::string(manifest_->functions[k].name);
  throw std::runtime_error(
    "the object has no function '" + quantity + "', only " + names + ": write it with that too");
}
}  // namespace dyn_controllers
