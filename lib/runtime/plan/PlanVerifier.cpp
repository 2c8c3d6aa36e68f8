/// verify(Plan): after it a run can follow every index and offset blindly.
#include "lib/runtime/plan/Library.h"
#include "lib/runtime/plan/Plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

namespace proa::runtime {
namespace {

class Verifier {
public:
  Verifier(const Plan &plan, const std::string &where) : plan(plan), where(where) {}

  Diagnostics run() {
    for (size_t i = 0; i < plan.values.size(); ++i)
      checkValue(static_cast<ValueId>(i));
    for (auto [name, bytes] :
         {std::pair("arenaBytes", plan.arenaBytes), std::pair("deviceArenaBytes", plan.deviceArenaBytes)})
      if (bytes < 0 || bytes > maximalArenaBytes)
        add(name, fmt::format("{} is not a size", bytes));
    checkBoundary();
    if (!diagnostics.empty()) // the order of steps says nothing while indices are wrong
      return diagnostics;
    checkSteps();
    checkFetches();
    for (size_t i = 0; i < plan.states.size(); ++i)
      checkState(fmt::format("states[{}]", i), plan.states[i]);
    return diagnostics;
  }

private:
  static constexpr int64_t maximalArenaBytes = int64_t(1) << 46;
  static constexpr size_t maximalRank = 16;

  void add(const std::string &location, std::string message) {
    diagnostics.add(where + ": " + location, std::move(message));
  }
  bool isValue(ValueId id) const { return id >= 0 && static_cast<size_t>(id) < plan.values.size(); }
  const Value &value(ValueId id) const { return plan.values[static_cast<size_t>(id)]; }

  static bool isStatic(const Value &value) {
    return std::find(value.dims.begin(), value.dims.end(), dynamicDim) == value.dims.end();
  }

  /// Bytes of a value with static dims; nothing if the number overflows.
  static std::optional<int64_t> bytesOf(const Value &value) {
    std::optional<int64_t> count = elementCount(value.dims);
    int64_t bytes = 0;
    if (!count || __builtin_mul_overflow(*count, static_cast<int64_t>(sizeOf(value.dtype)), &bytes))
      return std::nullopt;
    return bytes;
  }

  void checkValue(ValueId id) {
    const Value &v = value(id);
    std::string location = fmt::format("values[{}] '{}'", id, v.name);
    if (v.dims.size() > maximalRank)
      return add(location, fmt::format("rank {} is above {}", v.dims.size(), maximalRank));
    for (int64_t dim : v.dims)
      if (dim < dynamicDim)
        return add(location, fmt::format("dimension {} is negative", dim));
    if (isStatic(v) && !bytesOf(v))
      return add(location, "its size does not fit in 63 bits");
    bool needsStatic = v.storage == Storage::Constant || v.storage == Storage::Arena ||
                       v.storage == Storage::Result || v.storage == Storage::Parameter ||
                       v.storage == Storage::Prepared;
    if (needsStatic && !isStatic(v))
      return add(location, "its storage needs static dims, found " + describe(v.dtype, v.dims));
    if (v.offset < 0 || v.offset % addressAlignment != 0)
      return add(location, fmt::format("offset {} is not a multiple of {}", v.offset, addressAlignment));
    if (v.memory == Memory::Device && v.storage != Storage::Prepared && v.storage != Storage::Arena &&
        v.storage != Storage::Dynamic && v.storage != Storage::Alias)
      return add(location, "a value of its storage cannot be in device memory");
    if (v.storage == Storage::Arena)
      checkRange(location, v, v.memory == Memory::Device ? plan.deviceArenaBytes : plan.arenaBytes,
                 "the arena");
    if (v.storage == Storage::Constant)
      checkRange(location, v, static_cast<int64_t>(plan.constants.size()), "the constants");
    if (v.storage == Storage::Alias)
      checkAlias(location, id);
  }

  void checkRange(const std::string &location, const Value &v, int64_t limit, const char *what) {
    int64_t bytes = *bytesOf(v);
    if (bytes > limit || v.offset > limit - bytes)
      add(location, fmt::format("bytes [{}, {}+{}) lie outside of {}, which has {}", v.offset, v.offset,
                                bytes, what, limit));
  }

  void checkAlias(const std::string &location, ValueId id) {
    const Value &v = value(id);
    // Bases come first: so there are no cycles, and one pass in order resolves all aliases.
    if (!isValue(v.base) || v.base >= id)
      return add(location, fmt::format("base {} is not an earlier value", v.base));
    const Value &base = value(v.base);
    if (base.memory != v.memory)
      return add(location, "an alias is in another memory than its base");
    if (base.dtype != v.dtype && sizeOf(base.dtype) != sizeOf(v.dtype))
      return add(location,
                 fmt::format("an alias of {} cannot have dtype {}", nameOf(base.dtype), nameOf(v.dtype)));
    if (v.offset != 0 && !(isStatic(v) && isStatic(base)))
      return add(location, "an alias with an offset needs static dims");
    if (isStatic(v) && isStatic(base) && bytesOf(base))
      checkRange(location, v, *bytesOf(base), "its base");
  }

  void checkBoundary() {
    std::vector<bool> listed(plan.values.size(), false);
    auto check = [&](const std::vector<ValueId> &ids, Storage storage, const char *list) {
      for (size_t i = 0; i < ids.size(); ++i) {
        if (!isValue(ids[i]) || value(ids[i]).storage != storage)
          add(fmt::format("{}[{}]", list, i), fmt::format("{} is not a value of that storage", ids[i]));
        else
          listed[static_cast<size_t>(ids[i])] = true;
      }
    };
    check(plan.feeds, Storage::Feed, "feeds");
    check(plan.parameters, Storage::Parameter, "parameters");
    for (size_t i = 0; i < plan.values.size(); ++i) {
      Storage storage = plan.values[i].storage;
      if ((storage == Storage::Feed || storage == Storage::Parameter) && !listed[i])
        add(fmt::format("values[{}] '{}'", i, plan.values[i].name), "is not in the list of its storage");
    }
    if (plan.fetchNames.size() != plan.fetches.size())
      add("fetchNames", fmt::format("{} names for {} fetches", plan.fetchNames.size(), plan.fetches.size()));
  }

  /// Fills `followers` (the aliases that are there as soon as their base is) and `roots`.
  void linkAliases() {
    std::vector<bool> computed(plan.values.size(), false);
    for (const auto *steps : {&plan.prepare, &plan.steps})
      forEachStep(*steps, [&](const Step &step) {
        for (ValueId id : step.outputs)
          if (isValue(id))
            computed[static_cast<size_t>(id)] = true;
      });
    followers.assign(plan.values.size(), {});
    membersOf.assign(plan.values.size(), {});
    roots.resize(plan.values.size());
    for (size_t i = 0; i < plan.values.size(); ++i) {
      const Value &v = plan.values[i];
      roots[i] = v.storage == Storage::Alias ? roots[static_cast<size_t>(v.base)] : static_cast<ValueId>(i);
      membersOf[static_cast<size_t>(roots[i])].push_back(static_cast<ValueId>(i));
      if (v.storage != Storage::Alias || computed[i])
        continue;
      followers[static_cast<size_t>(v.base)].push_back(static_cast<ValueId>(i));
      if (std::count(v.dims.begin(), v.dims.end(), dynamicDim) > 1)
        add(fmt::format("values[{}] '{}'", i, v.name),
            "an alias that no step writes has several dynamic dims");
    }
  }

  void setWritten(ValueId id, bool state) {
    std::vector<ValueId> work{id};
    while (!work.empty()) {
      auto i = static_cast<size_t>(work.back());
      work.pop_back();
      written[i] = state;
      work.insert(work.end(), followers[i].begin(), followers[i].end());
    }
  }

  void checkSteps() {
    linkAliases();
    written.assign(plan.values.size(), false);
    outer = written;
    for (size_t i = 0; i < plan.values.size(); ++i)
      if (plan.values[i].storage == Storage::Parameter || plan.values[i].storage == Storage::Constant)
        setWritten(static_cast<ValueId>(i), true);
    for (size_t i = 0; i < plan.prepare.size(); ++i)
      checkStep(plan.prepare[i], fmt::format("prepare[{}] '{}'", i, plan.prepare[i].symbol), true);
    // Values in the arena of prepare do not exist in a run.
    for (size_t i = 0; i < plan.values.size(); ++i) {
      Storage storage = value(roots[i]).storage;
      if (storage == Storage::Arena || storage == Storage::Result || storage == Storage::Dynamic ||
          storage == Storage::Array)
        written[i] = false;
    }
    for (ValueId id : plan.feeds)
      setWritten(id, true);
    checkNothingAwaited("prepare", "ends");
    checkNothingStarted("prepare", 0);
    for (size_t i = 0; i < plan.steps.size(); ++i)
      checkStep(plan.steps[i], fmt::format("steps[{}] '{}'", i, plan.steps[i].symbol), false);
    checkNothingAwaited("steps", "ends");
    checkNothingStarted("steps", 0);
  }

  void checkStep(const Step &step, const std::string &location, bool preparing) {
    bool isControlFlow = step.kind == StepKind::If || step.kind == StepKind::While;
    if (isControlFlow && preparing)
      return add(location, "control flow cannot prepare values");
    if (step.bodies.size() != (isControlFlow ? 2 : 0))
      return add(location, fmt::format("has {} bodies", step.bodies.size()));
    if (isControlFlow && !checkPassing(step, location))
      return;
    if (isControlFlow)
      checkNothingAwaited(location, "begins");
    for (size_t i = 0; i < step.bodies.size(); ++i)
      checkBody(step, i, fmt::format("{}: bodies[{}]", location, i));
    bool mayBeAbsent = step.kind == StepKind::Library;
    for (ValueId id : step.inputs) {
      if (id == none && mayBeAbsent)
        continue;
      if (!isValue(id))
        add(location, fmt::format("input {} is not a value", id));
      else if (isAwaited(id))
        add(location, fmt::format("reads value {} '{}' before the wait for its copy", id, value(id).name));
      else if (isStarted(id) && !(step.isWait() && id == step.inputs[0]))
        add(location, fmt::format("reads value {} '{}' before the wait for it", id, value(id).name));
      else if (!written[static_cast<size_t>(id)])
        add(location, fmt::format("reads value {} '{}' before it is written, or after its release", id,
                                  value(id).name));
    }
    for (ValueId id : step.outputs) {
      if (id == none && mayBeAbsent)
        continue;
      if (!isValue(id)) {
        add(location, fmt::format("output {} is not a value", id));
        continue;
      }
      checkOutput(step, location, id, preparing);
      checkNotInUse(location, id);
      setWritten(id, true);
    }
    if (step.isStart)
      start(step, location);
    if (step.isWait())
      wait(step, location);
    checkMemory(step, location);
    if (step.kind == StepKind::Library)
      checkLibraryOperands(step, location);
    if (!step.attributes.is_object())
      add(location, "expected the attributes to be an object");
    if (step.kind == StepKind::Kernel && step.rows < dynamicDim)
      add(location, fmt::format("number of rows {} is negative", step.rows));
    checkIndexChecks(step, location);
    checkDimChecks(step, location);
    checkRelease(step, location);
  }

  /// Whether a copy to the value, in host memory, may not be done.
  bool isAwaited(ValueId id) const { return awaited.contains(roots[static_cast<size_t>(id)]); }

  void checkNothingAwaited(const std::string &location, const char *where) {
    if (!awaited.empty())
      add(location, fmt::format("{} before the wait for the copy to value {}", where, *awaited.begin()));
    awaited.clear();
  }

  //===-- Steps that were started
  //-------------------------------------------------------------------------===//

  /// The values of a step with Step::isStart before the wait for it.
  struct Started {
    ValueId output;
    std::vector<ValueId> inputs; ///< roots
  };

  ValueId rootOf(ValueId id) const { return roots[static_cast<size_t>(id)]; }

  bool isStarted(ValueId id) const {
    return std::ranges::any_of(started, [&](const Started &entry) { return entry.output == rootOf(id); });
  }

  void start(const Step &step, const std::string &location) {
    bool hasOutput = step.outputs.size() == 1 && isValue(step.outputs[0]);
    if (step.kind != StepKind::Library || !hasOutput || value(step.outputs[0]).storage == Storage::Alias ||
        value(step.outputs[0]).storage == Storage::Array)
      return add(location, "only a library step with one output, a tensor of its own, can start");
    Started entry{step.outputs[0], {}};
    for (ValueId id : step.inputs)
      if (isValue(id))
        entry.inputs.push_back(rootOf(id));
    started.push_back(std::move(entry));
  }

  void wait(const Step &step, const std::string &location) {
    auto found = std::ranges::find_if(started, [&](const Started &entry) {
      return !step.inputs.empty() && entry.output == step.inputs[0];
    });
    if (found == started.end() || found - started.begin() < static_cast<ptrdiff_t>(startedOutside))
      return add(location, "waits for a value that no earlier step of this list has started");
    for (ValueId id : found->inputs)
      if (std::ranges::none_of(step.inputs, [&](ValueId own) { return isValue(own) && rootOf(own) == id; }))
        add(location, fmt::format("does not keep value {} '{}', an input of the step that it waits for", id,
                                  value(id).name));
    started.erase(found);
  }

  /// `outside`: the number of steps that a list may leave without their waits, because they are around it.
  void checkNothingStarted(const std::string &location, size_t outside) {
    if (started.size() > outside)
      add(location, fmt::format("ends before the wait for value {}", started.back().output));
    started.resize(outside);
  }

  /// Whether two values may have common bytes at the same time.
  bool overlap(ValueId a, ValueId b) const {
    const Value &first = value(a), &second = value(b);
    if (a == b || first.storage != Storage::Arena || second.storage != Storage::Arena ||
        first.memory != second.memory)
      return a == b;
    return first.offset < second.offset + *bytesOf(second) && second.offset < first.offset + *bytesOf(first);
  }

  /// A step must not write or release what a started step reads or writes.
  void checkNotInUse(const std::string &location, ValueId id) {
    if (value(id).storage == Storage::Alias) // its bytes stay
      return;
    for (const Started &entry : started) {
      bool isInput = std::ranges::any_of(entry.inputs, [&](ValueId root) { return overlap(root, id); });
      if (isInput || overlap(entry.output, id))
        add(location,
            fmt::format("changes the bytes of value {} before the wait for value {}", id, entry.output));
    }
  }

  bool isOn(Memory memory, ValueId id) const { return !isValue(id) || value(id).memory == memory; }

  /// Operands are in the memory of the step, except for operands of copies and the bytes that a reshape hands
  /// on.
  void checkMemory(const Step &step, const std::string &location) {
    if (step.kind == StepKind::Copy)
      return checkCopy(step, location);
    if (step.kind == StepKind::Wait)
      awaited.clear();
    if (step.kind == StepKind::Wait && (!step.inputs.empty() || !step.outputs.empty()))
      return add(location, "a wait has no operands");
    if (step.isOnDevice() && step.kind == StepKind::Kernel)
      checkLaunch(step, location);
    bool isAlias = step.kind == StepKind::Library && !step.isOnDevice() && !step.inputs.empty() &&
                   step.outputs.size() == 1 && isValue(step.outputs[0]) &&
                   value(step.outputs[0]).storage == Storage::Alias;
    bool isFlow = step.kind == StepKind::If || step.kind == StepKind::While;
    if (step.kind == StepKind::If && !isOn(Memory::Host, step.inputs[0]))
      add(location, "its condition is not in host memory");
    if (isFlow)
      return;
    Memory memory = step.isOnDevice() ? Memory::Device : Memory::Host;
    if (step.isWait() && isValue(step.inputs[0])) // keeps the operands of the step that was started
      memory = value(step.inputs[0]).memory;
    for (const auto *ids : {&step.inputs, &step.outputs})
      for (size_t i = isAlias ? (ids == &step.inputs ? 1 : ids->size()) : 0; i < ids->size(); ++i)
        if (!isOn(memory, (*ids)[i]))
          add(location, fmt::format("value {} '{}' is in the memory of the other side", (*ids)[i],
                                    value((*ids)[i]).name));
  }

  void checkCopy(const Step &step, const std::string &location) {
    if (step.inputs.size() != 1 || step.outputs.size() != 1 || !isValue(step.inputs[0]) ||
        !isValue(step.outputs[0]))
      return add(location, "expected one input and one output");
    const Value &from = value(step.inputs[0]), &to = value(step.outputs[0]);
    if (to.memory == Memory::Host)
      awaited.insert(step.outputs[0]);
    if (from.memory == to.memory || from.storage == Storage::Array || to.storage == Storage::Alias ||
        from.dtype != to.dtype || from.dims != to.dims)
      add(location,
          fmt::format("cannot copy {} '{}' to {} '{}'", step.inputs[0], from.name, step.outputs[0], to.name));
  }

  bool isInput(const Step &step, int32_t i) const {
    return i >= 0 && static_cast<size_t>(i) < step.inputs.size() &&
           isValue(step.inputs[static_cast<size_t>(i)]);
  }

  bool isDimOfInput(const Step &step, int32_t i, int32_t axis) const {
    return isInput(step, i) && axis >= 0 &&
           static_cast<size_t>(axis) < value(step.inputs[static_cast<size_t>(i)]).dims.size();
  }

  void checkDimChecks(const Step &step, const std::string &location) {
    for (const DimCheck &check : step.dimChecks) {
      bool hasOther = check.other == -1 ? check.size >= 0 : isDimOfInput(step, check.other, check.otherAxis);
      if (step.kind != StepKind::Kernel || !hasOther || !isDimOfInput(step, check.input, check.axis))
        add(location, fmt::format("compares dim {} of input {} with dim {} of input {}", check.axis,
                                  check.input, check.otherAxis, check.other));
    }
  }

  void checkIndexChecks(const Step &step, const std::string &location) {
    for (const IndexCheck &check : step.checks) {
      bool hasBound = check.bound == -1 ? check.size >= 0 : isDimOfInput(step, check.bound, check.axis);
      bool isKnown = hasBound && (check.indices == -1 || isInput(step, check.indices)) &&
                     check.kind >= CheckedNumber::Index && check.kind <= CheckedNumber::GroupSize;
      if (step.kind != StepKind::Kernel || !isKnown)
        add(location, fmt::format("checks the indices of input {} with dim {} of input {}", check.indices,
                                  check.axis, check.bound));
    }
  }

  /// The parameters hold each buffer and each dynamic dim once.
  void checkLaunch(const Step &step, const std::string &location) {
    auto count = [&](char kind) { return std::ranges::count(step.launch.parameters, kind); };
    int64_t dims = 0;
    for (const auto *ids : {&step.inputs, &step.outputs})
      for (ValueId id : *ids)
        if (isValue(id))
          dims += std::ranges::count(value(id).dims, dynamicDim);
    auto buffers = static_cast<int64_t>(step.inputs.size() + step.outputs.size()) +
                   (step.hasCounters ? 1 : 0) + (step.checks.empty() ? 0 : 1);
    auto total = static_cast<int64_t>(step.launch.parameters.size());
    if (count('p') != buffers || count('d') != dims || buffers + dims != total)
      add(location, fmt::format("parameters '{}' of the kernel: expected {} buffers and {} dynamic dims",
                                step.launch.parameters, buffers, dims));
    if (step.launch.threads > 1024 || step.launch.sharedBytes < 0)
      add(location, fmt::format("cannot launch blocks of {} threads with {} bytes of shared memory",
                                step.launch.threads, step.launch.sharedBytes));
    if (step.launch.residentBlocks < 0)
      add(location,
          fmt::format("cannot launch {} blocks for each multiprocessor", step.launch.residentBlocks));
    for (const TensorMapParameter &map : step.launch.tensorMaps)
      if (!isTensorMap(map, buffers, dims))
        add(location,
            fmt::format("wrong tensor map of buffer {}: expected one of the {} buffers, 1 to 5 sizes of "
                        "the {} dynamic dims, a box with as many sizes of 1 to 256, elements of 1, 2, 4 "
                        "or 8 bytes, and a swizzle of 0, 32, 64 or 128",
                        map.buffer, buffers, dims));
  }

  static bool isTensorMap(const TensorMapParameter &map, int64_t buffers, int64_t dims) {
    auto isBox = [](int32_t size) { return size >= 1 && size <= 256; };
    auto isSize = [&](const TensorMapParameter::Size &size) {
      return std::ranges::all_of(size.dims, [&](int32_t dim) { return dim >= 0 && dim < dims; });
    };
    auto isOneOf = [](int32_t value, std::initializer_list<int32_t> values) {
      return std::ranges::find(values, value) != values.end();
    };
    return map.buffer >= 0 && map.buffer < buffers && !map.sizes.empty() && map.sizes.size() <= 5 &&
           map.sizes.size() == map.box.size() && std::ranges::all_of(map.sizes, isSize) &&
           std::ranges::all_of(map.box, isBox) && isOneOf(map.elementBytes, {1, 2, 4, 8}) &&
           isOneOf(map.swizzle, {0, 32, 64, 128});
  }

  /// An unknown kernel is an error when the program is loaded: a block that never runs may have one.
  void checkLibraryOperands(const Step &step, const std::string &location) {
    const KernelEntry *kernel = findLibraryKernel(step.symbol);
    if (!kernel)
      return;
    auto typesOf = [&](const std::vector<ValueId> &ids) {
      std::vector<OperandType> types(ids.size());
      for (size_t i = 0; i < ids.size(); ++i)
        if (isValue(ids[i]))
          types[i] = {true, false, value(ids[i]).dtype, value(ids[i]).dims,
                      value(ids[i]).storage == Storage::Array};
      return types;
    };
    std::vector<OperandType> inputs = typesOf(step.inputs), outputs = typesOf(step.outputs);
    for (const Diagnostic &diagnostic : kernel->checkOperands(step.symbol, {inputs, outputs}))
      add(location, diagnostic.message);
  }

  void checkOutput(const Step &step, const std::string &location, ValueId id, bool preparing) {
    const Value &v = value(id);
    bool isControlFlow = step.kind == StepKind::If || step.kind == StepKind::While;
    if (isControlFlow && v.storage != Storage::Dynamic && v.storage != Storage::Array)
      add(location, fmt::format("output {} '{}' is neither dynamic nor an array", id, v.name));
    if (step.kind == StepKind::Kernel && v.storage == Storage::Array)
      add(location, fmt::format("a kernel cannot write the array {}", id));
    bool own = v.storage == Storage::Arena || v.storage == Storage::Array || v.storage == Storage::Dynamic ||
               v.storage == Storage::Alias || v.storage == (preparing ? Storage::Prepared : Storage::Result);
    if (!own)
      add(location, fmt::format("writes value {} '{}', which is not its own", id, v.name));
    if (v.storage == Storage::Alias &&
        (step.kind != StepKind::Library || step.inputs.empty() || step.inputs.front() != v.base))
      add(location, fmt::format("writes alias {}, which only a library step on its base may do", id));
  }

  void checkRelease(const Step &step, const std::string &location) {
    for (ValueId id : step.release) {
      bool releasable =
          isValue(id) && (value(id).storage == Storage::Dynamic || value(id).storage == Storage::Array);
      if (!releasable || !written[static_cast<size_t>(id)]) {
        add(location, fmt::format("releases {}, which is not a live dynamic value", id));
        continue;
      }
      if (outer[static_cast<size_t>(id)])
        add(location, fmt::format("releases {} '{}', which is not of this body", id, value(id).name));
      checkNotInUse(location, id);
      for (ValueId member : membersOf[static_cast<size_t>(id)])
        written[static_cast<size_t>(member)] = false;
    }
  }

  /// Whether one value may become another when control flow passes it on.
  bool checkPass(const std::string &location, ValueId from, ValueId to) {
    if (!isValue(from) || !isValue(to)) {
      add(location, fmt::format("passes {} to {}, of which one is not a value", from, to));
      return false;
    }
    const Value &a = value(from), &b = value(to);
    bool arrays =
        a.storage == Storage::Array && b.storage == Storage::Array; // elements are checked when they are read
    bool fits = arrays || ((a.storage == Storage::Array) == (b.storage == Storage::Array) &&
                           a.dtype == b.dtype && a.dims.size() == b.dims.size() && a.memory == b.memory);
    if (!fits || (from != to && b.storage != Storage::Dynamic && b.storage != Storage::Array))
      add(location, fmt::format("cannot pass {} '{}' to {} '{}'", from, a.name, to, b.name));
    return fits;
  }

  bool checkPass(const std::string &location, std::span<const ValueId> from, std::span<const ValueId> to) {
    if (from.size() != to.size()) {
      add(location, fmt::format("passes {} values to {}", from.size(), to.size()));
      return false;
    }
    bool fits = true;
    for (size_t i = 0; i < from.size(); ++i)
      fits &= checkPass(location, from[i], to[i]);
    return fits;
  }

  bool checkPassing(const Step &step, const std::string &location) {
    const Body &first = step.bodies[0], &second = step.bodies[1];
    if (step.kind == StepKind::If) {
      if (step.inputs.size() != 1 || !first.arguments.empty() || !second.arguments.empty()) {
        add(location, "expected one condition, and bodies without arguments");
        return false;
      }
      bool fits = checkPass(location, first.results, step.outputs);
      return checkPass(location, second.results, step.outputs) && fits;
    }
    if (first.results.empty()) {
      add(location, "the test has no condition");
      return false;
    }
    if (!isOn(Memory::Host, first.results[0]))
      add(location, "its condition is not in host memory");
    std::span<const ValueId> flowing = std::span(first.results).subspan(1);
    bool fits = checkPass(location, step.inputs, first.arguments);
    fits &= checkPass(location, flowing, second.arguments);
    fits &= checkPass(location, flowing, step.outputs);
    return checkPass(location, second.results, first.arguments) && fits;
  }

  void checkBody(const Step &step, size_t index, const std::string &location) {
    const Body &body = step.bodies[index];
    std::vector<bool> before = written, outerBefore = outer;
    outer = written;
    size_t outsideBefore = std::exchange(startedOutside, started.size());
    for (ValueId id : body.arguments) {
      if (outer[static_cast<size_t>(id)])
        add(location, fmt::format("argument {} is a value from outside", id));
      setWritten(id, true);
    }
    for (size_t i = 0; i < body.steps.size(); ++i)
      checkStep(body.steps[i], fmt::format("{}.steps[{}] '{}'", location, i, body.steps[i].symbol), false);
    checkNothingAwaited(location, "ends");
    checkNothingStarted(location, startedOutside);
    startedOutside = outsideBefore;
    for (ValueId id : body.results)
      if (!isValue(id) || !written[static_cast<size_t>(id)])
        add(location, fmt::format("result {} is not there at the end", id));
      else if (isStarted(id))
        add(location, fmt::format("result {} is there only after the wait for it", id));
    for (ValueId id : body.release)
      if (!isValue(id) || !written[static_cast<size_t>(id)] || outer[static_cast<size_t>(id)])
        add(location, fmt::format("releases {}, which is not a live value of the body", id));
    written = before;
    outer = outerBefore;
  }

  void checkFetches() {
    std::vector<bool> fetched(plan.values.size(), false);
    for (size_t i = 0; i < plan.fetches.size(); ++i) {
      ValueId id = plan.fetches[i];
      if (isValue(id))
        fetched[static_cast<size_t>(roots[static_cast<size_t>(id)])] = true;
      if (!isValue(id) || !written[static_cast<size_t>(id)])
        add(fmt::format("fetches[{}]", i), fmt::format("value {} is not there at the end", id));
      else if (!isOn(Memory::Host, id))
        add(fmt::format("fetches[{}]", i), fmt::format("value {} is not in host memory", id));
    }
    for (size_t i = 0; i < plan.values.size(); ++i)
      if (plan.values[i].storage == Storage::Result && !fetched[i])
        add(fmt::format("values[{}] '{}'", i, plan.values[i].name), "is a result that is not fetched");
  }

  /// The copies of a state, which a session may leave out, and its memory, which must not have other values.
  void checkState(const std::string &location, const ResidentState &state) {
    if (!isValue(state.feed) || !isValue(state.current) || !isValue(state.next) || state.fetch < 0 ||
        static_cast<size_t>(state.fetch) >= plan.fetches.size())
      return add(location, "has an index that does not exist");
    ValueId result = roots[static_cast<size_t>(plan.fetches[static_cast<size_t>(state.fetch)])];
    auto hasCopy = [&](ValueId from, ValueId to) {
      return std::ranges::any_of(plan.steps, [&](const Step &step) {
        return step.kind == StepKind::Copy && step.inputs[0] == from && step.outputs[0] == to;
      });
    };
    ValueId next = roots[static_cast<size_t>(state.next)];
    bool areInArena = std::ranges::all_of(std::array{state.current, next}, [&](ValueId id) {
      return value(id).storage == Storage::Arena && value(id).memory == Memory::Device;
    });
    if (value(state.feed).storage != Storage::Feed || !areInArena || !hasCopy(state.feed, state.current) ||
        !hasCopy(state.next, result))
      return add(location, "is not copied between the host and the arena of the device");
    if (!isStatic(value(state.feed)) || bytesOf(value(state.feed)) != bytesOf(value(state.next)))
      return add(location, "changes its size");
    for (size_t i = 0; i < plan.values.size(); ++i) {
      const Value &other = plan.values[i];
      bool isOther = other.storage == Storage::Arena && other.memory == Memory::Device &&
                     static_cast<ValueId>(i) != state.current;
      if (isOther && other.offset < value(state.current).offset + *bytesOf(value(state.current)) &&
          value(state.current).offset < other.offset + *bytesOf(other))
        return add(location, fmt::format("shares its memory with value {}", i));
    }
  }

  const Plan &plan;
  const std::string &where;
  Diagnostics diagnostics;
  std::vector<bool> outer;                     ///< value was there before the innermost body began
  std::vector<bool> written;                   ///< value is there at this point of the run
  std::set<ValueId> awaited;                   ///< in host memory: a copy to it is under way
  std::vector<Started> started;                ///< without their waits so far
  size_t startedOutside = 0;                   ///< of `started`: in the lists around the current one
  std::vector<std::vector<ValueId>> followers; ///< by base: aliases whose dims no step computes
  std::vector<ValueId> roots;                  ///< the value that owns the bytes
  std::vector<std::vector<ValueId>> membersOf; ///< by root: itself and all its aliases
};

} // namespace

Result<void> verify(const Plan &plan, const std::string &where) { return Verifier(plan, where).run(); }

} // namespace proa::runtime
