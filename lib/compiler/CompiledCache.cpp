#include "lib/compiler/CompiledCache.h"

#include "lib/codegen/CompileKernels.h"
#include "lib/runtime/Plan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>

namespace proa {
namespace {

/// Identifies the build of this library: cache entries of other builds are ignored.
std::string buildFingerprint() {
  Dl_info info;
  struct stat file;
  if (dladdr(reinterpret_cast<void *>(&buildFingerprint), &info) == 0 || stat(info.dli_fname, &file) != 0)
    return version();
  return version() + ":" + std::to_string(file.st_size) + ":" + std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}

std::string describeAmp(const AmpOptions &amp) {
  std::string text =
      std::string(amp.level == AmpOptions::Level::O1 ? "O1 " : "O2 ") + std::string(nameOf(amp.dtype));
  for (const auto *list : {&amp.allow, &amp.deny, &amp.grey})
    for (const std::string &op : *list)
      text += (op == list->front() ? "|" : ",") + op;
  for (double number :
       {static_cast<double>(amp.scaling), amp.lossScale, static_cast<double>(amp.increaseEvery),
        static_cast<double>(amp.decreaseEvery), amp.increaseRatio, amp.decreaseRatio})
    text += " " + std::to_string(number);
  return text;
}

std::string pack(const std::vector<uint8_t> &plan, const std::string &archive) {
  uint64_t size = plan.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  bytes.append(plan.begin(), plan.end());
  return bytes + archive;
}

Result<CompiledProgram> unpack(const std::string &bytes) {
  uint64_t size = 0;
  if (bytes.size() < sizeof size)
    return problem("object cache", "entry is too short");
  std::memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() - sizeof size < size)
    return problem("object cache", "entry is too short");
  const auto *begin = reinterpret_cast<const uint8_t *>(bytes.data()) + sizeof size;
  auto plan = runtime::deserialize({begin, size}, "object cache");
  if (!plan)
    return plan.problems();
  return CompiledProgram{std::move(*plan), bytes.substr(sizeof size + size)};
}

} // namespace

std::string describeDims(const std::map<std::string, Tensor> &tensors) {
  std::string text;
  for (const auto &[name, tensor] : tensors)
    text += name + "=" + tensor.describe() + ";";
  return text;
}

std::string describeValues(const std::map<std::string, Tensor> &tensors) {
  std::string text;
  for (const auto &[name, tensor] : tensors) {
    text += "|" + name + "=";
    text.append(reinterpret_cast<const char *>(tensor.data()), tensor.bytes());
  }
  return text;
}

std::string CompiledKey::describe() const {
  CodegenOptions target;
  target.cpu = options.cpu;
  std::string key = buildFingerprint() + "|" + codegenFingerprint(target) + "|" + describeDims(feeds) + "|";
  if (!values.empty())
    key += describeValues(values) + "|";
  key += deferAll ? "deferred|" : "";
  if (program)
    for (const legacy::Block &block : llvm::ArrayRef(program->blocks).take_front(1))
      for (const legacy::Variable &variable : block.variables)
        if (!variable.declaredAs.empty())
          key += variable.name + "=" + proa::describe(*variable.dtype, variable.dims) + ",";
  for (const auto *list : {&options.feeds, &options.fetches})
    for (const std::string &name : *list)
      key += name + ",";
  key += options.function;
  for (const auto &[parameter, gradient] : options.derivedGradients)
    key += parameter + ">" + gradient + ",";
  key += options.decompose ? "|decompose" : "";
  key += options.amp ? "|" + describeAmp(*options.amp) : "";
  key += options.microBatches == 1 ? "" : "|micro-batches " + std::to_string(options.microBatches);
  key += options.memoryBudget ? "|budget " + std::to_string(*options.memoryBudget) : "";
  key += "|" + std::to_string(llvm::xxh3_64bits(text)) + ":" + std::to_string(text.size());
  return key;
}

Result<CompiledCache> CompiledCache::open(const std::string &directory) {
  auto objects = ObjectCache::open({directory});
  if (!objects)
    return objects.problems();
  return CompiledCache(std::move(*objects));
}

std::optional<CompiledProgram> CompiledCache::find(const std::string &key) const {
  std::optional<std::string> bytes = objects.find(key);
  if (!bytes)
    return std::nullopt;
  Result<CompiledProgram> program = unpack(*bytes);
  return program ? std::optional(std::move(*program)) : std::nullopt;
}

void CompiledCache::store(const std::string &key, const CompiledProgram &program) const {
  (void)static_cast<bool>(objects.store(key, pack(runtime::serialize(program.plan), program.archive)));
}

} // namespace proa
