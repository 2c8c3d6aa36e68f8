#include "lib/compiler/cache/CompiledCache.h"

#include "lib/base/support/Files.h"
#include "lib/compiler/codegen/CompileKernels.h"
#include "lib/compiler/compile/UserPasses.h"
#include "lib/runtime/plan/Plan.h"
#include "passes/patterns/PatternFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

#include <fmt/format.h>

#include <array>
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
  for (double value :
       {static_cast<double>(amp.scaling), amp.lossScale, static_cast<double>(amp.increaseEvery),
        static_cast<double>(amp.decreaseEvery), amp.increaseRatio, amp.decreaseRatio})
    text += " " + std::to_string(value);
  return text;
}

void append(std::string &bytes, std::string_view field) {
  uint64_t size = field.size();
  bytes.append(reinterpret_cast<const char *>(&size), sizeof size);
  bytes.append(field);
}

/// Removes the first field of `bytes` and returns it. Error: `bytes` is too short.
Result<std::string_view> takeField(std::string_view &bytes) {
  uint64_t size = 0;
  if (bytes.size() < sizeof size)
    return errorAt("object cache", "entry is too short");
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  if (bytes.size() < size)
    return errorAt("object cache", "entry is too short");
  std::string_view field = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return field;
}

std::string packList(const std::vector<std::string> &list) {
  std::string bytes;
  for (const std::string &entry : list)
    append(bytes, entry);
  return bytes;
}

Result<std::vector<std::string>> unpackList(std::string_view bytes) {
  std::vector<std::string> list;
  while (!bytes.empty()) {
    auto entry = takeField(bytes);
    if (!entry)
      return entry.diagnostics();
    list.emplace_back(*entry);
  }
  return list;
}

/// The interface, the index of the program of each rank (one byte sequence), then plan and archive of each
/// program.
std::string pack(const Compilation &compilation) {
  std::string bytes;
  append(bytes, compilation.interface);
  const auto &indices = compilation.programOf;
  append(bytes, {reinterpret_cast<const char *>(indices.data()), indices.size() * sizeof indices[0]});
  for (const CompiledProgram &program : compilation.programs) {
    std::vector<uint8_t> plan = runtime::serialize(program.plan);
    append(bytes, {reinterpret_cast<const char *>(plan.data()), plan.size()});
    append(bytes, program.archive);
    append(bytes, std::string(1, static_cast<char>(program.target)));
    append(bytes, packList(program.shapeArchives));
    std::vector<uint8_t> code = cuda::serialize(program.deviceCode);
    append(bytes, {reinterpret_cast<const char *>(code.data()), code.size()});
    const DeferredKernels none, &deferred = program.deferred ? *program.deferred : none;
    append(bytes, packList(deferred.modules));
    append(bytes, packList(deferred.objects));
  }
  return bytes;
}

std::span<const uint8_t> bytesOf(std::string_view field) {
  return {reinterpret_cast<const uint8_t *>(field.data()), field.size()};
}

/// Removes the fields of a program, in the order of pack().
Result<CompiledProgram> unpackProgram(std::string_view &bytes) {
  std::array<std::string_view, 7> fields;
  for (std::string_view &field : fields) {
    auto taken = takeField(bytes);
    if (!taken)
      return taken.diagnostics();
    field = *taken;
  }
  auto plan = runtime::deserialize(bytesOf(fields[0]), "object cache");
  if (!plan)
    return plan.diagnostics();
  auto code = cuda::deserializeDeviceCode(bytesOf(fields[4]), "object cache");
  if (!code)
    return code.diagnostics();
  if (fields[2].size() != 1)
    return errorAt("object cache", "the target of a program has a wrong size");
  std::array<std::vector<std::string>, 3> lists;
  for (auto [list, field] : llvm::zip(lists, std::array{fields[3], fields[5], fields[6]})) {
    auto unpacked = unpackList(field);
    if (!unpacked)
      return unpacked.diagnostics();
    list = std::move(*unpacked);
  }
  auto &[shapes, modules, objects] = lists;
  return CompiledProgram{.plan = std::move(*plan),
                         .archive = std::string(fields[1]),
                         .deferred = modules.empty()
                                         ? nullptr
                                         : std::make_shared<const DeferredKernels>(
                                               DeferredKernels{std::move(modules), std::move(objects)}),
                         .target = static_cast<TargetKind>(fields[2].front()),
                         .shapeArchives = std::move(shapes),
                         .deviceCode = std::move(*code)};
}

Result<Compilation> unpack(std::string_view bytes) {
  Compilation compilation;
  auto interface = takeField(bytes);
  auto indices = interface ? takeField(bytes) : interface;
  if (!indices)
    return indices.diagnostics();
  compilation.interface = *interface;
  compilation.programOf.resize(indices->size() / sizeof(size_t));
  std::memcpy(compilation.programOf.data(), indices->data(), compilation.programOf.size() * sizeof(size_t));
  while (!bytes.empty()) {
    auto program = unpackProgram(bytes);
    if (!program)
      return program.diagnostics();
    compilation.programs.push_back(std::move(*program));
  }
  for (size_t index : compilation.programOf)
    if (index >= compilation.programs.size())
      return errorAt("object cache", "entry has too few programs");
  return compilation;
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

/// Names, dtypes and ranks of tensors.
static std::string describeRanks(const std::map<std::string, Tensor> &tensors) {
  std::string text = "all dims ";
  for (const auto &[name, tensor] : tensors)
    text += fmt::format("{}={} {};", name, nameOf(tensor.dtype()), tensor.dims().size());
  return text;
}

std::string CompiledKey::describe() const {
  CodegenOptions target;
  target.cpu = options.cpu;
  target.optimizes = options.codeOptimization != CodeOptimization::Never;
  std::string key = buildFingerprint() + "|" + codegenFingerprint(target) + "|" +
                    (keepsDims ? describeRanks(feeds) : describeDims(feeds)) + "|";
  for (const auto *known : {&values, &parameters})
    key += known->empty() ? "" : describeValues(*known) + "|";
  key += deferAll ? "deferred|" : "";
  if (program)
    for (const legacy::Block &block : llvm::ArrayRef(program->blocks).take_front(1))
      for (const legacy::Variable &variable : block.variables)
        if (!variable.declaredAs.empty())
          key += variable.name + "=" + proa::describe(*variable.dtype, variable.dims) + ",";
  for (const auto *list : {&options.feeds, &options.fetches})
    for (const std::string &name : *list)
      key += name + ",";
  key += options.fetchesAll ? "all," : "";
  key += options.function;
  key += options.target.empty() ? "" : "|target " + options.target;
  key += options.allowsTf32 ? "|tf32" : "";
  key += options.allowsAtomicSums ? "|atomic sums" : "";
  for (const auto &[parameter, gradient] : options.derivedGradients)
    key += parameter + ">" + gradient + ",";
  key += options.decompose ? "|decompose" : "";
  key += options.amp ? "|" + describeAmp(*options.amp) : "";
  if (options.offload)
    key += fmt::format("|offload {} {} {}", options.offload->optimizer, options.offload->parameters,
                       options.offload->leastBytes);
  key += options.microBatches == 1 ? "" : "|micro-batches " + std::to_string(options.microBatches);
  key += options.memoryBudget ? "|budget " + std::to_string(*options.memoryBudget) : "";
  key += mesh.empty() ? "" : "|" + mesh;
  key += outsideValues.empty() ? "" : "|outside " + std::to_string(llvm::xxh3_64bits(outsideValues));
  key += options.passes.empty() ? "" : "|passes " + options.passes + " of " + describePlugins();
  if (!options.targetFacts.empty())
    if (Result<std::string> content = readFile(options.targetFacts))
      key += "|facts " + std::to_string(llvm::xxh3_64bits(*content));
  for (const std::string &file : options.patterns)
    if (Result<std::string> content = readPatternFile(file))
      key += "|patterns " + std::to_string(llvm::xxh3_64bits(*content));
  key += "|" + std::to_string(llvm::xxh3_64bits(text)) + ":" + std::to_string(text.size());
  return key;
}

Result<CompiledCache> CompiledCache::open(const std::string &directory) {
  auto objects = ObjectCache::open({directory});
  if (!objects)
    return objects.diagnostics();
  return CompiledCache(std::move(*objects));
}

std::optional<Compilation> CompiledCache::find(const std::string &key) const {
  std::optional<std::string> bytes = objects.find(key);
  if (!bytes)
    return std::nullopt;
  Result<Compilation> compilation = unpack(*bytes);
  return compilation ? std::optional(std::move(*compilation)) : std::nullopt;
}

Result<void> CompiledCache::store(const std::string &key, const Compilation &compilation) const {
  return objects.store(key, pack(compilation));
}

} // namespace proa
