#include "lib/compiler/cuda/KernelTimer.h"

#include "lib/compiler/cuda/KernelOperands.h"
#include "lib/runtime/cuda/CudaDevice.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace proa {
namespace {

/// A copy of this many bytes leaves nothing else in the caches of known devices.
constexpr size_t cachedBytes = size_t(64) << 20;

double medianOf(std::vector<double> times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

class DeviceTimer final : public KernelTimer {
public:
  DeviceTimer(cuda::CudaContext context, int launches) : context(std::move(context)), launches(launches) {}

  Result<double> microseconds(mlir::func::FuncOp kernel, const DeviceKernelSet &compiled) override {
    const cuda::KernelImage &image = compiled.code.kernels.front();
    const planner::KernelFacts facts = compiled.facts.lookup(image.symbol);
    cuda::CudaDevice device(context.driver, compiled.code, {.libraries = context.libraries});
    Result<size_t> bound = device.bind(image.symbol, facts.launch);
    if (!bound)
      return bound.diagnostics();
    Result<std::unique_ptr<runtime::DeviceQueue>> queue = device.createQueue();
    if (!queue)
      return queue.diagnostics();
    auto buffers = copyAll(**queue, kernelOperands(kernel, facts));
    if (!buffers)
      return buffers.diagnostics();
    std::vector<uint64_t> parameters;
    for (const std::shared_ptr<void> &buffer : *buffers)
      parameters.push_back(reinterpret_cast<uint64_t>(buffer.get()));
    return measure(**queue, [&] { return (*queue)->launch(*bound, facts.rows, parameters); });
  }

private:
  cuda::CudaContext context;
  int launches;

  static Result<std::vector<std::shared_ptr<void>>>
  copyAll(runtime::DeviceQueue &queue, const std::vector<std::vector<std::byte>> &contents) {
    std::vector<std::shared_ptr<void>> buffers;
    for (const std::vector<std::byte> &content : contents) {
      Result<std::shared_ptr<void>> buffer = queue.allocate(std::max<size_t>(content.size(), 1));
      if (!buffer)
        return buffer.diagnostics();
      if (Result<void> done = queue.copyToDevice(buffer->get(), content.data(), content.size()); !done)
        return done.diagnostics();
      buffers.push_back(std::move(*buffer));
    }
    return buffers;
  }

  Result<double> measure(runtime::DeviceQueue &queue, const std::function<Result<void>()> &launch) const {
    Result<std::shared_ptr<void>> other = queue.allocate(2 * cachedBytes);
    if (!other)
      return other.diagnostics();
    auto *evicting = static_cast<std::byte *>(other->get());
    if (Result<void> warm = launch(); !warm)
      return warm.diagnostics();
    std::vector<std::pair<size_t, size_t>> marks;
    for (int i = 0; i < launches; ++i) {
      // In a program other kernels use the caches in between.
      Result<void> done = queue.copyOnDevice(evicting, evicting + cachedBytes, cachedBytes);
      Result<size_t> begin = done ? queue.mark() : Result<size_t>(done.diagnostics());
      done = begin ? launch() : Result<void>(begin.diagnostics());
      Result<size_t> end = done ? queue.mark() : Result<size_t>(done.diagnostics());
      if (!end)
        return end.diagnostics();
      marks.emplace_back(*begin, *end);
    }
    if (Result<void> waited = queue.wait(); !waited)
      return waited.diagnostics();
    std::vector<double> times;
    for (auto [begin, end] : marks) {
      Result<double> nanoseconds = queue.nanosecondsBetween(begin, end);
      if (!nanoseconds)
        return nanoseconds.diagnostics();
      times.push_back(*nanoseconds / 1000);
    }
    queue.dropMarks();
    return medianOf(std::move(times));
  }
};

class InstructionCounter final : public KernelTimer {
public:
  Result<double> microseconds(mlir::func::FuncOp, const DeviceKernelSet &compiled) override {
    const cuda::KernelImage &image = compiled.code.kernels.front();
    const planner::KernelFacts facts = compiled.facts.lookup(image.symbol);
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(image.ptx).split(lines, '\n');
    // An instruction ends with a semicolon; a directive begins with a dot.
    auto instructions = llvm::count_if(lines, [](llvm::StringRef line) {
      return line.trim().ends_with(";") && !line.trim().starts_with(".");
    });
    return static_cast<double>(instructions) * facts.launch.threads * static_cast<double>(facts.rows) / 1e3;
  }
};

} // namespace

std::unique_ptr<KernelTimer> createDeviceTimer(cuda::CudaContext context, int launches) {
  return std::make_unique<DeviceTimer>(std::move(context), launches);
}

std::unique_ptr<KernelTimer> createInstructionCounter() { return std::make_unique<InstructionCounter>(); }

} // namespace proa
