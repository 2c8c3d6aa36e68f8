#include "lib/runtime/kernels/conv/ConvChoice.h"

#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/kernels/conv/ColumnConv.h"
#include "lib/runtime/kernels/conv/Conv.h"
#include "lib/runtime/kernels/conv/GroupedConv.h"
#include "lib/runtime/kernels/conv/IndirectConv.h"
#include "lib/runtime/kernels/conv/PixelConv.h"
#include "lib/runtime/kernels/conv/PlaneConv.h"
#include "lib/runtime/kernels/conv/WinogradConv.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace proa::runtime {
namespace {

// Measured shares of the rate of a large matmul (CpuFacts::matmulRate).
constexpr double indirectShare = 0.9, indirectShareOfWide = 0.85; // with AVX-512
/// Of the rate of IndirectConv's tiles, what tiles of at most 8 outputs reach with AVX2: they load more for
/// each multiplication.
constexpr double halfPanelShare = 0.85;
/// Of the rate of IndirectConv's tiles, what sums of few outputs reach.
constexpr double dotsShare = 0.6;
/// To add the lanes of one of these sums, apply activations and store it, measured with windows of one pixel
/// on an AMD EPYC (Zen 3).
constexpr double dotNanoseconds = 5;
constexpr double groupedShare = 0.33, windowsShare = 0.5, blasShare = 0.1;
/// Of the time to read the filter from memory, which IndirectConv fetches ahead.
constexpr double fetchedShare = 0.75;
/// oneDNN's kernels for one channel in a group, without dilations: the share grows with the taps, for which a
/// result stays in a register.
constexpr double depthwiseShareOfTap = 0.06;
/// oneDNN's kernels of several taps and more inputs than a vector has with AVX2, of images with channels last
/// on an AMD EPYC (Zen 3).
constexpr double severalTapsShare = 0.8;
/// The last one to three vectors of outputs with AVX2: three vectors of one tap, and four of several, hide
/// the latency of a multiplication, fewer ones leave multipliers idle.
constexpr double shareOfVectors[2][3] = {{0.5, 0.95, 1}, {0.37, 0.71, 0.95}};
/// oneDNN's transposed convolutions with taps that do not overlap.
constexpr double separateTapsShare = 0.5;
/// oneDNN's transposes to and from channels last: a start, and each element of a tensor that caches hold. Of
/// fewer channels than a vector has they move single elements.
constexpr double transposeNanoseconds = 3000, transposedNanoseconds = 0.07, movedNanoseconds = 0.4;
/// The same of tensors that the second cache does not hold.
constexpr double transposedFarNanoseconds = 0.15;
/// An element of an image of few channels that is interleaved, and of IndirectConv's results with channels
/// first.
constexpr double interleavedNanoseconds = 0.06, storedFirstNanoseconds = 0.15;
/// An element of IndirectConv's results with other activations than bounds, with AVX2.
constexpr double activatedNanoseconds = 1.2;
/// Of IndirectConv's copy of an image of few channels, with AVX2.
constexpr double copyStartNanoseconds = 1000;

constexpr const char *builtByGcc = "GCC built proa";

/// The share that oneDNN reaches with this many channels of a result.
double shareOfOutputs(int64_t channels, int64_t lanes) {
  return static_cast<double>(channels) / static_cast<double>((channels + lanes - 1) / lanes * lanes);
}

bool isDilated(const ConvGeometry &g) {
  return std::ranges::any_of(g.dilations, [](int64_t dilation) { return dilation > 1; });
}

int64_t tapsOf(const ConvGeometry &g) {
  int64_t taps = 1;
  for (int64_t size : g.kernel)
    taps *= size;
  return taps;
}

/// See severalTapsShare.
bool hasSeveralTaps(const ConvGeometry &g, const CpuFacts &cpu) {
  return cpu.vectorBits < 512 && tapsOf(g) > 1 && g.inputChannels() > vectorSize && isDense(g.input, true);
}

/// The share that oneDNN reaches without groups.
double shareOfAllOutputs(const ConvGeometry &g, const CpuFacts &cpu) {
  int64_t atOnce = tapsOf(g) > 1 ? 4 : 3;
  int64_t lanes = cpu.vectorBits / 32, vectors = (g.outputChannels() + lanes - 1) / lanes,
          rest = vectors % atOnce;
  double share = shareOfOutputs(g.outputChannels(), lanes);
  if (lanes >= 16 || rest == 0)
    return share;
  int64_t together = rest;
  if (tapsOf(g) == 1 && rest == 1 && vectors > 1) { // the last four are two pairs
    rest = 4;
    together = 2;
  }
  double time = static_cast<double>(vectors - rest) +
                static_cast<double>(rest) / shareOfVectors[tapsOf(g) > 1][together - 1];
  return share * static_cast<double>(vectors) / time;
}

/// The share that oneDNN reaches with groups of several channels. With AVX-512 it has a kernel for groups
/// that are whole vectors; without, the kernel computes up to three vectors of outputs at once. It fills up
/// others with zeros.
double shareOfGroups(const ConvGeometry &g, const CpuFacts &cpu) {
  constexpr double ofVectors[] = {0.37, 0.71, 0.85}, ofOneTap = 0.45;
  int64_t inputs = g.inputChannels() / g.groups, outputs = g.outputChannels() / g.groups,
          lanes = cpu.vectorBits / 32, vectors = (outputs + lanes - 1) / lanes;
  if (lanes >= 16 && inputs % lanes == 0)
    return 1;
  if (lanes >= 16 || inputs < lanes)
    return static_cast<double>(inputs) / static_cast<double>(inputs + 24);
  double share = ofVectors[std::min<int64_t>(vectors, 3) - 1] * shareOfOutputs(outputs, lanes);
  return tapsOf(g) == 1 ? share * ofOneTap : share;
}

/// Whether oneDNN has a kernel that calls GEMMs for the convolution, and one that does not.
bool hasLoop(const ConvGeometry &g, const CpuFacts &cpu) {
  bool isDepthwise = g.inputChannels() == g.groups && g.outputChannels() == g.groups;
  return cpu.vectorBits >= 512 && g.kernel.size() == 2 && tapsOf(g) > 1 && !isDilated(g) &&
         (g.groups == 1 || isDepthwise);
}

/// Nanoseconds of oneDNN's calls of GEMMs, beside the multiplications.
double callNanoseconds(const ConvGeometry &g, const CpuFacts &cpu) {
  constexpr double row = 80, tapOfRow = 2;
  if (!hasLoop(g, cpu) || prefersLoop(g, cpu))
    return 0;
  return static_cast<double>(g.output.dims[0] * g.output.dims[2]) *
         (row + tapOfRow * static_cast<double>(tapsOf(g)));
}

class Estimates {
public:
  Estimates(const ConvProblem &problem, const ConvMachine &machine, LibraryForm form)
      : problem(problem), g(problem.geometry), machine(machine), form(form),
        rate(operationsPerNanosecond(machine.cpu)), operations(convOperations(problem)) {}

  ConvChoice choose() const {
    ConvChoice choice{{library(), winograd(2), winograd(4), indirect(), grouped(), planes(), pixels()}};
    if (problem.attributes.transposed)
      choice.estimates.push_back(columns());
    if (form == LibraryForm::None)
      choice.estimates.push_back({ConvMethod::Blas, at(blasShare)});
    std::ranges::sort(choice.estimates, {}, [](const ConvEstimate &estimate) {
      return std::tuple(estimate.whyNot != nullptr, estimate.nanoseconds, estimate.method);
    });
    return choice;
  }

private:
  double at(double share) const { return operations / (share * rate); }
  /// To read the filter's taps inside of the image. Filters of a network's other convolutions have replaced
  /// them in the caches.
  double filterNanoseconds() const {
    double bytes = sizeof(float) * static_cast<double>(g.outputChannels() * tapsOf(g)) *
                   static_cast<double>(g.inputChannels() / g.groups);
    if (!problem.attributes.transposed)
      bytes *= IndirectConv::readTaps(g);
    return bytes / (static_cast<double>(machine.cpu.memoryBandwidth) * 1e-3);
  }
  bool hasWideVectors() const { return machine.cpu.vectorBits >= 512; }

  ConvEstimate library() const {
    if (form == LibraryForm::None)
      return {ConvMethod::Library, 0, "oneDNN has no fast kernel"};
    int64_t inputs = g.inputChannels() / g.groups;
    auto taps = static_cast<double>(tapsOf(g));
    double share = 1, outputs = shareOfOutputs(g.outputChannels(), machine.cpu.vectorBits / 32);
    if (g.groups > 1 && inputs == 1 && !isDilated(g))
      share = std::min(1.0, depthwiseShareOfTap * taps) * outputs;
    else if (g.groups > 1)
      share = shareOfGroups(g, machine.cpu);
    else
      share = shareOfAllOutputs(g, machine.cpu) * (hasSeveralTaps(g, machine.cpu) ? severalTapsShare : 1);
    if (!ColumnConv::whyNot(problem))
      share *= separateTapsShare;
    double nanoseconds = at(share);
    // With AVX-512 oneDNN skips taps outside of the image.
    if (hasWideVectors() && !problem.attributes.transposed && problem.attributes.spatial == 2)
      nanoseconds *= IndirectConv::usedTaps(g);
    if (form == LibraryForm::Direct && !problem.attributes.transposed)
      nanoseconds += callNanoseconds(g, machine.cpu);
    if (form == LibraryForm::Windows)
      nanoseconds = at(windowsShare * (g.groups > 1 ? shareOfGroups(g, machine.cpu) : outputs));
    return {ConvMethod::Library, nanoseconds + filterNanoseconds() + copyNanoseconds()};
  }

  ConvEstimate winograd(int64_t tileDim) const {
    ConvMethod method = tileDim == 2 ? ConvMethod::Winograd2 : ConvMethod::Winograd4;
    if (const char *reason = WinogradConv::whyNot(problem))
      return {method, 0, reason};
    return {method, WinogradConv::nanoseconds(g, tileDim, problem.isConstant, machine.cpu)};
  }

  ConvEstimate indirect() const {
    if (const char *reason = IndirectConv::whyNot(problem))
      return {ConvMethod::Indirect, 0, reason};
    if (!machine.keepsTiles)
      return {ConvMethod::Indirect, 0, builtByGcc};
    if (hasWideVectors() && IndirectConv::copiesImage(g))
      return {ConvMethod::Indirect, 0, "few channels with AVX-512"}; // oneDNN's kernels are faster
    if (hasWideVectors() && IndirectConv::addsDots(g))
      return {ConvMethod::Indirect, 0, "few outputs with AVX-512"}; // not measured
    double terms = static_cast<double>(IndirectConv::termsOfTap(g));
    double share =
        (hasWideVectors() ? indirectShareOfWide : indirectShare) * terms / (terms + 4) *
        (IndirectConv::addsDots(g) ? dotsShare : shareOfPanels(g.outputChannels() / g.groups, terms));
    double nanoseconds = at(share * IndirectConv::usedRows(g)) * IndirectConv::usedTaps(g) +
                         fetchedShare * filterNanoseconds();
    if (IndirectConv::copiesImage(g))
      nanoseconds +=
          copyStartNanoseconds + interleavedNanoseconds * static_cast<double>(*elementCount(g.input.dims));
    if (IndirectConv::addsDots(g))
      nanoseconds += dotNanoseconds * static_cast<double>(*elementCount(g.output.dims));
    std::span<const PostOp> ops(problem.attributes.postOps);
    ops = ops.first(leadingRowOps(ops));
    if (!hasWideVectors() && RowBounds(ops).ops < ops.size())
      nanoseconds += activatedNanoseconds * static_cast<double>(*elementCount(g.output.dims));
    if (g.output.strides[1] != 1)
      nanoseconds += storedFirstNanoseconds * static_cast<double>(*elementCount(g.output.dims));
    return {ConvMethod::Indirect, nanoseconds};
  }

  /// The share of the lanes of IndirectConv's panels that hold channels.
  double shareOfPanels(int64_t channels, double terms) const {
    constexpr int64_t lanes = 16;
    constexpr double moreStartTerms = 8; // the tile of a half panel has more pointers
    int64_t rest = channels % lanes;
    if (hasWideVectors() || rest == 0 || rest > lanes / 2)
      return shareOfOutputs(channels, lanes);
    double half = static_cast<double>(lanes / 2) / halfPanelShare * (1 + moreStartTerms / (terms + 4));
    return static_cast<double>(channels) / (static_cast<double>(channels - rest) + half);
  }

  ConvEstimate grouped() const {
    if (const char *reason = GroupedConv::whyNot(problem))
      return {ConvMethod::Grouped, 0, reason};
    return {ConvMethod::Grouped, at(groupedShare) * IndirectConv::usedTaps(g)}; // it skips taps too
  }

  ConvEstimate planes() const {
    if (const char *reason = PlaneConv::whyNot(problem))
      return {ConvMethod::Planes, 0, reason};
    return {ConvMethod::Planes, PlaneConv::nanoseconds(problem, machine.cpu)};
  }

  ConvEstimate pixels() const {
    if (const char *reason = PixelConv::whyNot(problem))
      return {ConvMethod::Pixels, 0, reason};
    if (!machine.keepsTiles)
      return {ConvMethod::Pixels, 0, builtByGcc};
    return {ConvMethod::Pixels, PixelConv::nanoseconds(problem, machine.cpu) + filterNanoseconds()};
  }

  ConvEstimate columns() const {
    if (const char *reason = ColumnConv::whyNot(problem))
      return {ConvMethod::Columns, 0, reason};
    return {ConvMethod::Columns, ColumnConv::nanoseconds(problem, machine.cpu)};
  }

  /// Of the transpose of a tensor to or from channels last.
  double copyNanoseconds(const StridedOperand &tensor) const {
    auto elements = static_cast<double>(*elementCount(tensor.dims)), bytes = 2 * sizeof(float) * elements;
    auto nearBytes = static_cast<double>(machine.cpu.l2Bytes),
         cachedBytes = static_cast<double>(machine.cpu.l3Bytes);
    bool interleaves = &tensor == &g.input && ConvPlan::interleaves(tensor);
    double start = interleaves ? 0 : transposeNanoseconds;
    double cached = elements * (interleaves          ? interleavedNanoseconds
                                : tensor.dims[1] < 8 ? movedNanoseconds
                                : bytes <= nearBytes ? transposedNanoseconds
                                                     : transposedFarNanoseconds);
    if (bytes <= cachedBytes)
      return start + cached;
    return start + std::max(cached, bytes / (static_cast<double>(machine.cpu.memoryBandwidth) * 1e-3));
  }

  double copyNanoseconds() const {
    double nanoseconds = 0;
    for (const StridedOperand *tensor : {&g.input, &g.output})
      if (!isDense(*tensor, true))
        nanoseconds += copyNanoseconds(*tensor);
    return nanoseconds;
  }

  const ConvProblem &problem;
  const ConvGeometry &g;
  const ConvMachine &machine;
  LibraryForm form;
  double rate, operations;
};

} // namespace

const char *nameOf(ConvMethod method) {
  switch (method) {
  case ConvMethod::Library:
    return "oneDNN";
  case ConvMethod::Winograd2:
    return "Winograd 2x2";
  case ConvMethod::Winograd4:
    return "Winograd 4x4";
  case ConvMethod::Indirect:
    return "indirect";
  case ConvMethod::Grouped:
    return "grouped";
  case ConvMethod::Planes:
    return "planes";
  case ConvMethod::Pixels:
    return "pixels";
  case ConvMethod::Columns:
    return "columns";
  case ConvMethod::Blas:
    return "BLAS";
  }
  return "";
}

const char *whyNotPlanar(const ConvProblem &problem) {
  bool isFloat32 = std::ranges::all_of(problem.inputs, [](const OperandType &input) {
    return !input.present || input.dtype == DType::Float32;
  });
  bool isPlanar = isFloat32 && !problem.attributes.transposed && problem.attributes.spatial == 2;
  return isPlanar ? nullptr : "not two-dimensional in float32";
}

ConvMachine ConvMachine::of(const KernelRequest &request) { return {factsOfThisCpu(request.cpu)}; }

double operationsPerNanosecond(const CpuFacts &cpu) { return cpu.flopsPerSecond() * 1e-9; }

double convOperations(const ConvProblem &problem) {
  const ConvGeometry &g = problem.geometry;
  double operations = 2.0 * static_cast<double>(g.inputChannels() / g.groups);
  for (int64_t dim : problem.attributes.transposed ? g.input.dims : g.output.dims)
    operations *= static_cast<double>(dim);
  for (int64_t size : g.kernel)
    operations *= static_cast<double>(size);
  return problem.attributes.transposed
             ? operations * static_cast<double>(g.outputChannels()) / static_cast<double>(g.inputChannels())
             : operations;
}

// The limits are from measurements on an AMD EPYC (Zen 5) with AVX-512, of one image. 499 convolutions
// without groups take 1.2 % longer than by the faster kernel; about 230 depthwise ones gave `manyPlanes`. In
// networks, on one and two threads, 32 channels take up to 1.6 times as long by the loop.
bool prefersLoop(const ConvGeometry &g, const CpuFacts &cpu) {
  if (!hasLoop(g, cpu))
    return false;
  constexpr int64_t manyPlanes = 400;
  if (g.groups > 1)
    return g.groups < manyPlanes;
  // The loop reads the filter for each row: from a larger cache, and for few multiplications.
  constexpr int64_t fewColumns = 5, manyColumns = 48, manyInputs = 32;
  int64_t lanes = cpu.vectorBits / 32, vectors = (g.outputChannels() + lanes - 1) / lanes;
  int64_t columns = g.output.dims[3];
  int64_t filterBytes = g.inputChannels() * tapsOf(g) * vectors * cpu.vectorBits / 8;
  if (columns <= fewColumns && filterBytes > cpu.l1Bytes)
    return false;
  return vectors == 1 || (columns < manyColumns && g.inputChannels() < manyInputs);
}

std::string ConvChoice::text() const {
  std::string text =
      fmt::format("{}, {:.1f} us estimated", nameOf(method()), estimates.front().nanoseconds / 1e3);
  for (const ConvEstimate &other : std::span(estimates).subspan(1))
    text += other.whyNot ? fmt::format("; not {}: {}", nameOf(other.method), other.whyNot)
                         : fmt::format("; {} {:.1f} us", nameOf(other.method), other.nanoseconds / 1e3);
  return text;
}

ConvChoice chooseConv(const ConvProblem &problem, const ConvMachine &machine, LibraryForm form) {
  return Estimates(problem, machine, form).choose();
}

} // namespace proa::runtime
