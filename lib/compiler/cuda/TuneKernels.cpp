#include "lib/compiler/cuda/TuneKernels.h"

#include "dialects/proa/Proa.h"
#include "lib/compiler/codegen/cuda/EmitPtx.h"
#include "lib/compiler/cuda/CudaProgram.h"
#include "lib/runtime/cuda/CudaDevice.h"
#include "lib/runtime/run/KernelServices.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/KernelForm.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/APFloat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

using namespace mlir;

namespace proa {
namespace {

/// A kernel compiled with one strategy.
struct Candidate {
  KernelStrategy strategy;
  DeviceKernelSet compiled;
};

/// The types of the operands and results, without the words of index checks.
SmallVector<Type> tensorTypesOf(func::FuncOp kernel) {
  SmallVector<Type> types(kernel.getArgumentTypes().drop_back(hasIndexChecks(kernel) ? 1 : 0));
  llvm::append_range(types, kernel.getResultTypes());
  return types;
}

bool hasStaticDims(func::FuncOp kernel) {
  return llvm::all_of(tensorTypesOf(kernel), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  });
}

/// A copy of this many bytes leaves nothing else in the caches of known devices.
constexpr size_t cachedBytes = size_t(64) << 20;

/// The bits of a random number of a type: floats with 1/2 <= |x| < 1, integers below `end`, booleans.
uint64_t randomElement(Type type, int64_t end, std::mt19937_64 &random) {
  uint64_t bits = random();
  auto floating = dyn_cast<FloatType>(type);
  if (!floating)
    return type.isInteger(1) ? bits & 1 : bits % static_cast<uint64_t>(end);
  constexpr double steps = 1024;
  llvm::APFloat number(0.5 + static_cast<double>(bits % 512) / steps);
  bool losesInfo = false;
  number.convert(floating.getFloatSemantics(), llvm::APFloat::rmTowardZero, &losesInfo);
  if (bits >> 63 != 0)
    number.changeSign();
  return number.bitcastToAPInt().getZExtValue();
}

/// Random content of a tensor. Power depends on the data, and so do the clock of a device and the choice.
std::vector<std::byte> randomBytes(RankedTensorType type, int64_t end) {
  constexpr size_t mostDifferent = 4099; // a prime; the numbers repeat, as they take time to make
  Type element = type.getElementType();
  size_t parts = isa<ComplexType>(element) ? 2 : 1;
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  size_t bytes = (element.isIndex() ? 64 : element.getIntOrFloatBitWidth() + 7) / 8;
  size_t count = static_cast<size_t>(type.getNumElements()) * parts;
  // Small integers of few bits stay positive.
  int64_t most = bytes == 1 ? 127 : 32767;
  std::mt19937_64 random(1);
  std::vector<uint64_t> numbers(std::min(count, mostDifferent));
  for (uint64_t &number : numbers)
    number = randomElement(element, std::min(end, most), random);
  std::vector<std::byte> content(count * bytes);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&content[i * bytes], &numbers[i % numbers.size()], bytes);
  return content;
}

class KernelTuner {
public:
  KernelTuner(func::FuncOp kernel, const TuneOptions &options, std::string chip)
      : kernel(kernel), options(options), chip(std::move(chip)) {}

  /// Nothing, with `reason` set, for a kernel without a form on the device.
  Result<std::optional<TuningEntry>> run() {
    std::vector<Candidate> candidates = compileAll();
    if (candidates.empty())
      return std::optional<TuningEntry>();
    TuningEntry best;
    best.microseconds = std::numeric_limits<double>::infinity();
    for (const Candidate &candidate : candidates) {
      Result<double> measured = measure(candidate);
      bool isDefault = &candidate == &candidates.front();
      if (!measured && isDefault)
        return measured.diagnostics();
      if (!measured) // other ones may need more than the device has
        continue;
      if (isDefault)
        best.defaultMicroseconds = *measured;
      if (*measured < best.microseconds) {
        best.microseconds = *measured;
        best.strategy = candidate.strategy;
      }
    }
    return std::optional(best);
  }

  std::string reason = "it has no form on the device";

private:
  func::FuncOp kernel;
  const TuneOptions &options;
  std::string chip;

  /// The kernel by each strategy, without those that give the same code as an earlier one.
  std::vector<Candidate> compileAll() {
    std::vector<Candidate> candidates;
    for (const KernelStrategy &strategy : strategiesOf(kernel)) {
      OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
      copyTarget(kernel->getParentOfType<ModuleOp>(), *module);
      module->push_back(kernel->clone());
      auto compiled = takeDeviceKernels(*module, chip, "", nullptr, strategy);
      // A strategy that does not fit the kernel is not an error.
      if (!compiled || compiled->code.kernels.empty()) {
        if (!compiled)
          reason = compiled.diagnostics()[0].message;
        continue;
      }
      bool isKnown = std::ranges::any_of(candidates, [&](const Candidate &other) {
        return other.compiled.code.kernels[0].ptx == compiled->code.kernels[0].ptx;
      });
      if (!isKnown)
        candidates.push_back({strategy, std::move(*compiled)});
    }
    return candidates;
  }

  /// Microseconds of one launch.
  Result<double> measure(const Candidate &candidate) {
    const cuda::KernelImage &image = candidate.compiled.code.kernels.front();
    const planner::KernelFacts facts = candidate.compiled.facts.lookup(image.symbol);
    cuda::CudaDevice device(options.context.driver, candidate.compiled.code,
                            {.libraries = options.context.libraries});
    Result<size_t> bound = device.bind(image.symbol, facts.launch);
    if (!bound)
      return bound.diagnostics();
    Result<std::unique_ptr<runtime::DeviceQueue>> queue = device.createQueue();
    if (!queue)
      return queue.diagnostics();
    Result<std::vector<std::shared_ptr<void>>> buffers = allocateAll(**queue, facts);
    if (!buffers)
      return buffers.diagnostics();
    std::vector<uint64_t> parameters;
    for (const std::shared_ptr<void> &buffer : *buffers)
      parameters.push_back(reinterpret_cast<uint64_t>(buffer.get()));
    Result<std::shared_ptr<void>> other = (*queue)->allocate(2 * cachedBytes);
    if (!other)
      return other.diagnostics();
    auto *evicting = static_cast<std::byte *>(other->get());
    auto launch = [&]() -> Result<void> { return (*queue)->launch(*bound, facts.rows, parameters); };
    if (Result<void> warm = launch(); !warm)
      return warm.diagnostics();
    std::vector<std::pair<size_t, size_t>> marks;
    for (int i = 0; i < options.launches; ++i) {
      // In a program other kernels use the caches in between.
      Result<void> done = (*queue)->copyOnDevice(evicting, evicting + cachedBytes, cachedBytes);
      Result<size_t> begin = done ? (*queue)->mark() : Result<size_t>(done.diagnostics());
      done = begin ? launch() : Result<void>(begin.diagnostics());
      Result<size_t> end = done ? (*queue)->mark() : Result<size_t>(done.diagnostics());
      if (!end)
        return end.diagnostics();
      marks.emplace_back(*begin, *end);
    }
    if (Result<void> waited = (*queue)->wait(); !waited)
      return waited.diagnostics();
    std::vector<double> times;
    for (auto [begin, end] : marks) {
      Result<double> nanoseconds = (*queue)->nanosecondsBetween(begin, end);
      if (!nanoseconds)
        return nanoseconds.diagnostics();
      times.push_back(*nanoseconds / 1000);
    }
    (*queue)->dropMarks();
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
  }

  /// The smallest dim of more than one element: indices below it are valid along any axis.
  int64_t leastDim() const {
    int64_t least = std::numeric_limits<int64_t>::max();
    for (Type type : tensorTypesOf(kernel))
      for (int64_t dim : cast<RankedTensorType>(type).getShape())
        if (dim > 1)
          least = std::min(least, dim);
    return least;
  }

  /// The buffers of the kernel's parameters, with random operands.
  Result<std::vector<std::shared_ptr<void>>> allocateAll(runtime::DeviceQueue &queue,
                                                         const planner::KernelFacts &facts) {
    std::vector<std::vector<std::byte>> contents;
    for (Type type : tensorTypesOf(kernel))
      contents.push_back(randomBytes(cast<RankedTensorType>(type), leastDim()));
    for (const std::vector<int64_t> &dims : facts.scratch)
      contents.emplace_back(static_cast<size_t>(elementCount(dims).value_or(0)), std::byte(0));
    if (facts.hasCounters)
      contents.emplace_back(runtime::kernelCounters * sizeof(uint32_t), std::byte(0));
    if (!facts.checks.empty())
      contents.emplace_back(facts.checks.size() * sizeof(uint64_t), std::byte(0xff));
    std::vector<std::shared_ptr<void>> buffers;
    for (const std::vector<std::byte> &initial : contents) {
      Result<std::shared_ptr<void>> buffer = queue.allocate(std::max<size_t>(initial.size(), 1));
      if (!buffer)
        return buffer.diagnostics();
      if (Result<void> done = queue.copyToDevice(buffer->get(), initial.data(), initial.size()); !done)
        return done.diagnostics();
      buffers.push_back(std::move(*buffer));
    }
    return buffers;
  }
};

std::string labelOf(func::FuncOp kernel) {
  std::string label;
  kernel.walk([&](linalg::LinalgOp op) {
    op.getBlock()->walk([&](Operation *inner) {
      StringRef name = inner->getName().stripDialect();
      if (!inner->hasTrait<OpTrait::IsTerminator>() && label.size() < 60)
        label += (label.empty() ? "" : "+") + name.str();
    });
  });
  return label;
}

} // namespace

std::vector<KernelStrategy> strategiesOf(func::FuncOp kernel) {
  bool hasProduct = false;
  kernel.walk([&](linalg::LinalgOp op) { hasProduct |= linalg::isaContractionOpInterface(op); });
  std::vector<KernelStrategy> strategies{{}};
  for (MatmulStrategy contraction :
       {MatmulStrategy::Fastest, MatmulStrategy::Fma, MatmulStrategy::Mma, MatmulStrategy::Wgmma})
    for (int64_t threads : {64, 128, 256, 512, 1024})
      if (KernelStrategy strategy{threads, contraction};
          strategy != strategies.front() && (hasProduct || contraction == MatmulStrategy::Fastest))
        strategies.push_back(strategy);
  return strategies;
}

Result<size_t> tuneKernels(ModuleOp kernels, TuningDatabase &database, const TuneOptions &options) {
  const cuda::DeviceProperties &properties = options.context.driver->properties();
  auto chosen = cuda::chipFor(properties.major, properties.minor);
  if (!chosen)
    return chosen.diagnostics();
  const std::string &chip = chosen->name;
  size_t measured = 0;
  auto report = [&](func::FuncOp kernel, const std::string &text) {
    if (options.report)
      options.report(fmt::format("{} ({}): {}", kernel.getName().str(), labelOf(kernel), text));
  };
  for (auto kernel : kernels.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(kernelAttribute)) // functions of shapes, and kernels with strategies of their own
      continue;
    std::string key = tuningKey(kernel, chip);
    if (!options.again && database.find(key))
      continue;
    if (!hasStaticDims(kernel)) {
      report(kernel, "not measured: its dims are dynamic");
      continue;
    }
    KernelTuner tuner(kernel, options, chip);
    Result<std::optional<TuningEntry>> entry = tuner.run();
    if (!entry)
      return entry.diagnostics();
    if (!*entry) {
      report(kernel, "not measured: " + tuner.reason);
      continue;
    }
    (*entry)->label = labelOf(kernel);
    report(kernel, fmt::format("{:.2f} us with {}, {:.2f} us by default", (*entry)->microseconds,
                               (*entry)->strategy.text(), (*entry)->defaultMicroseconds));
    database.set(key, std::move(**entry));
    ++measured;
  }
  return measured;
}

} // namespace proa
