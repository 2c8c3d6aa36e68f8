/// The library kernels that pool regions of feature maps: roi_align, roi_pool, psroi_pool (x, boxes,
/// boxes_num; pooled_height, pooled_width, spatial_scale ...), and the gradients of x, which are given x,
/// boxes, the cotangent (roi_pool's also the places of the maxima) and boxes_num.
/// dialects/pd/ops/detection/RoiPool.td and Boxes.td say what they compute.
#include "lib/base/support/Numbers.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/detection/RoiPool.kernels.inc"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proa::runtime {
namespace {

struct RegionAttributes {
  int64_t height = 1, width = 1, samples = -1, channels = 0;
  double scale = 1;
  bool aligned = false;

  int64_t cells() const { return height * width; }
};

/// The operands, checked: the image of each box.
struct Regions {
  std::vector<int64_t> images;
  int64_t channels, rows, columns;

  static Result<Regions> check(const View &x, const View &boxes, const View &counts) {
    if (x.rank() != 4 || boxes.rank() != 2 || boxes.dims[1] != 4 || boxes.dtype != x.dtype)
      return failure("x is {}, the boxes {}; expected [N, C, H, W] and [R, 4]", describe(x.dtype, x.dims),
                     describe(boxes.dtype, boxes.dims));
    Regions out{{}, x.dims[1], x.dims[2], x.dims[3]};
    std::vector<int64_t> perImage{boxes.dims[0]};
    if (counts) {
      Result<std::vector<int64_t>> given = integersOf(counts);
      if (!given)
        return given.diagnostics();
      perImage = std::move(*given);
    }
    if (static_cast<int64_t>(perImage.size()) > x.dims[0])
      return failure("there are boxes of {} images, x has {}", perImage.size(), x.dims[0]);
    for (size_t i = 0; i < perImage.size(); ++i)
      out.images.insert(out.images.end(), static_cast<size_t>(std::max<int64_t>(0, perImage[i])),
                        static_cast<int64_t>(i));
    if (static_cast<int64_t>(out.images.size()) != boxes.dims[0])
      return failure("boxes_num counts {} boxes, there are {}", out.images.size(), boxes.dims[0]);
    return out;
  }
  int64_t plane() const { return rows * columns; }
};

//===-- roi_align ---------------------------------------------------------------------------------------===//

/// Calls use(place, weight) for the four elements around a point of a plane, with the weights of the
/// interpolation.
template <class T, class Use> void aroundPoint(T y, T x, int64_t rows, int64_t columns, Use use) {
  if (y < -1 || y > static_cast<T>(rows) || x < -1 || x > static_cast<T>(columns))
    return;
  auto split = [](T &position, int64_t size, int64_t &low, int64_t &high) {
    position = std::max(position, T(0));
    // NaN, which passes all comparisons above, is element 0 with a weight of NaN.
    low = std::clamp<int64_t>(toInteger<int64_t>(static_cast<double>(position)), 0, size - 1);
    high = std::min(low + 1, size - 1);
    if (low == size - 1)
      position = static_cast<T>(low);
  };
  int64_t top, bottom, left, right;
  split(y, rows, top, bottom);
  split(x, columns, left, right);
  T down = y - static_cast<T>(top), across = x - static_cast<T>(left);
  use(top * columns + left, (1 - down) * (1 - across));
  use(top * columns + right, (1 - down) * across);
  use(bottom * columns + left, down * (1 - across));
  use(bottom * columns + right, down * across);
}

/// The weighted elements whose sum is cell number `cell` of a box: use(place, weight).
template <class T, class Use>
void alignedCell(const T *box, int64_t cell, const Regions &regions, const RegionAttributes &attributes,
                 Use use) {
  T offset = attributes.aligned ? T(0.5) : T(0), scale = static_cast<T>(attributes.scale);
  T left = box[0] * scale - offset, top = box[1] * scale - offset;
  T width = box[2] * scale - offset - left, height = box[3] * scale - offset - top;
  if (!attributes.aligned) {
    width = std::max(width, T(1));
    height = std::max(height, T(1));
  }
  T cellHeight = height / static_cast<T>(attributes.height),
    cellWidth = width / static_cast<T>(attributes.width);
  auto samples = [&](T size) {
    return attributes.samples > 0 ? attributes.samples : static_cast<int64_t>(std::ceil(size));
  };
  int64_t down = samples(cellHeight), across = samples(cellWidth);
  T weight = 1 / static_cast<T>(std::max<int64_t>(1, down * across));
  T y0 = top + static_cast<T>(cell / attributes.width) * cellHeight,
    x0 = left + static_cast<T>(cell % attributes.width) * cellWidth;
  for (int64_t i = 0; i < down; ++i)
    for (int64_t j = 0; j < across; ++j)
      aroundPoint(y0 + (static_cast<T>(i) + T(0.5)) * cellHeight / static_cast<T>(down),
                  x0 + (static_cast<T>(j) + T(0.5)) * cellWidth / static_cast<T>(across), regions.rows,
                  regions.columns, [&](int64_t pixel, T share) { use(pixel, share * weight); });
}

//===-- psroi_pool --------------------------------------------------------------------------------------===//

template <class T, class Use>
void psroiCell(const T *box, int64_t cell, const Regions &regions, const RegionAttributes &attributes,
               Use use) {
  auto scale = static_cast<T>(attributes.scale);
  auto range = [&](T begin, T end, int64_t index, int64_t cells, int64_t limit) {
    T from = std::round(begin) * scale, to = (std::round(end) + 1) * scale;
    T size = std::max(to - from, T(0.1)) / static_cast<T>(cells);
    auto first = static_cast<int64_t>(std::floor(static_cast<T>(index) * size + from));
    auto last = static_cast<int64_t>(std::ceil(static_cast<T>(index + 1) * size + from));
    return std::pair(std::clamp<int64_t>(first, 0, limit), std::clamp<int64_t>(last, 0, limit));
  };
  auto [top, bottom] = range(box[1], box[3], cell / attributes.width, attributes.height, regions.rows);
  auto [left, right] = range(box[0], box[2], cell % attributes.width, attributes.width, regions.columns);
  T weight = 1 / static_cast<T>(std::max<int64_t>(1, (bottom - top) * (right - left)));
  for (int64_t y = top; y < bottom; ++y)
    for (int64_t x = left; x < right; ++x)
      use(y * regions.columns + x, weight);
}

//===-- Both: cells that are weighted sums --------------------------------------------------------------===//

enum class Kind : uint8_t { Align, PositionSensitive };

template <class T> struct WeightedCells {
  Kind kind;
  const Regions &regions;
  const RegionAttributes &attributes;
  const T *boxes;

  int64_t channels() const { return kind == Kind::Align ? regions.channels : attributes.channels; }

  /// use(place in x, place in out, weight) for all elements that one box reads.
  template <class Use> void visit(int64_t box, Use use) const {
    int64_t image = regions.images[static_cast<size_t>(box)] * regions.channels * regions.plane();
    for (int64_t cell = 0; cell < attributes.cells(); ++cell) {
      auto each = [&](int64_t pixel, T weight) {
        for (int64_t c = 0; c < channels(); ++c) {
          int64_t channel = kind == Kind::Align ? c : c * attributes.cells() + cell;
          use(image + channel * regions.plane() + pixel, (box * channels() + c) * attributes.cells() + cell,
              weight);
        }
      };
      if (kind == Kind::Align)
        alignedCell(boxes + box * 4, cell, regions, attributes, each);
      else
        psroiCell(boxes + box * 4, cell, regions, attributes, each);
    }
  }
};

template <class T>
Result<void> weightedPool(Call &call, Kind kind, const RegionAttributes &attributes, bool isGradient) {
  const View &x = call.input(0), &boxes = call.input(1), &cotangent = call.input(2);
  Result<Regions> regions = Regions::check(x, boxes, call.input(isGradient ? 3 : 2));
  if (!regions)
    return regions.diagnostics();
  if (kind == Kind::PositionSensitive && regions->channels != attributes.channels * attributes.cells())
    return failure("x has {} channels; expected {}", regions->channels,
                   attributes.channels * attributes.cells());
  WeightedCells<T> cells{kind, *regions, attributes, boxes.as<T>()};
  auto count = static_cast<int64_t>(regions->images.size());
  const int64_t dims[] = {count, cells.channels(), attributes.height, attributes.width};
  Result<View> out = isGradient ? call.output(0, x.dims) : call.output(0, dims);
  if (!out)
    return out.diagnostics();
  T *result = out->template as<T>();
  std::fill_n(result, out->size(), T(0));
  if (isGradient) {
    if (cotangent.size() != count * cells.channels() * attributes.cells())
      return failure("the cotangent is {}; expected the cotangent of {} boxes",
                     describe(cotangent.dtype, cotangent.dims), count);
    for (int64_t box = 0; box < count; ++box) // boxes may overlap
      cells.visit(
          box, [&](int64_t from, int64_t to, T weight) { result[from] += weight * cotangent.as<T>()[to]; });
    return {};
  }
  parallelFor(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t box = begin; box < end; ++box)
      cells.visit(box, [&](int64_t from, int64_t to, T weight) { result[to] += weight * x.as<T>()[from]; });
  });
  return {};
}

//===-- roi_pool ----------------------------------------------------------------------------------------===//

template <class T> Result<void> maxPool(Call &call, const RegionAttributes &attributes) {
  const View &x = call.input(0), &boxes = call.input(1);
  Result<Regions> regions = Regions::check(x, boxes, call.input(2));
  if (!regions)
    return regions.diagnostics();
  auto count = static_cast<int64_t>(regions->images.size());
  const int64_t dims[] = {count, regions->channels, attributes.height, attributes.width};
  OutputMemory memory;
  Result<View> out = memory.get(call, 0, x.dtype, dims), maxima = memory.get(call, 1, DType::Int64, dims);
  for (const Result<View> *result : {&out, &maxima})
    if (!*result)
      return result->diagnostics();
  auto range = [](int64_t start, int64_t end, int64_t index, int64_t cells, int64_t limit) {
    T size = static_cast<T>(std::max<int64_t>(1, end - start + 1)) / static_cast<T>(cells);
    auto first = static_cast<int64_t>(std::floor(static_cast<T>(index) * size)) + start;
    auto last = static_cast<int64_t>(std::ceil(static_cast<T>(index + 1) * size)) + start;
    return std::pair(std::clamp<int64_t>(first, 0, limit), std::clamp<int64_t>(last, 0, limit));
  };
  parallelFor(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * regions->channels * attributes.cells();
         i < end * regions->channels * attributes.cells(); ++i) {
      int64_t cell = i % attributes.cells(), channel = i / attributes.cells() % regions->channels;
      int64_t box = i / attributes.cells() / regions->channels;
      int64_t corners[4];
      for (int64_t k = 0; k < 4; ++k)
        corners[k] =
            static_cast<int64_t>(std::round(boxes.as<T>()[box * 4 + k] * static_cast<T>(attributes.scale)));
      auto [top, bottom] =
          range(corners[1], corners[3], cell / attributes.width, attributes.height, regions->rows);
      auto [left, right] =
          range(corners[0], corners[2], cell % attributes.width, attributes.width, regions->columns);
      const T *plane = x.as<T>() + (regions->images[static_cast<size_t>(box)] * regions->channels + channel) *
                                       regions->plane();
      int64_t pixel = -1;
      for (int64_t y = top; y < bottom; ++y)
        for (int64_t column = left; column < right; ++column)
          if (int64_t at = y * regions->columns + column; pixel < 0 || plane[at] > plane[pixel])
            pixel = at;
      out->template as<T>()[i] = pixel < 0 ? T(0) : plane[pixel];
      maxima->as<int64_t>()[i] = pixel;
    }
  });
  return {};
}

template <class T> Result<void> maxPoolGradient(Call &call) {
  const View &x = call.input(0), &cotangent = call.input(2), &maxima = call.input(3);
  Result<Regions> regions = Regions::check(x, call.input(1), call.input(4));
  if (!regions)
    return regions.diagnostics();
  auto count = static_cast<int64_t>(regions->images.size());
  if (maxima.size() != cotangent.size() || (count > 0 && cotangent.size() % (count * regions->channels) != 0))
    return failure("the cotangent is {}, the places {}", describe(cotangent.dtype, cotangent.dims),
                   describe(maxima.dtype, maxima.dims));
  Result<View> out = call.output(0, x.dims);
  if (!out)
    return out.diagnostics();
  std::fill_n(out->template as<T>(), out->size(), T(0));
  int64_t cells = count == 0 ? 1 : cotangent.size() / count / regions->channels;
  for (int64_t i = 0; i < cotangent.size(); ++i) {
    int64_t pixel = maxima.as<int64_t>()[i], channel = i / cells % regions->channels,
            box = i / cells / regions->channels;
    if (pixel >= 0 && pixel < regions->plane())
      out->template as<T>()[(regions->images[static_cast<size_t>(box)] * regions->channels + channel) *
                                regions->plane() +
                            pixel] += cotangent.as<T>()[i];
  }
  return {};
}

template <class Op> Result<RegionAttributes> regionsOf(const Op &op, const KernelRequest &request) {
  Checks checks(request);
  RegionAttributes attributes;
  attributes.height = op.pooledHeight;
  attributes.width = op.pooledWidth;
  if constexpr (requires { op.samplingRatio; })
    attributes.samples = op.samplingRatio;
  if constexpr (requires { op.outputChannels; })
    attributes.channels = op.outputChannels;
  attributes.scale = op.spatialScale;
  if constexpr (requires { op.aligned; })
    attributes.aligned = op.aligned;
  checks.expect(attributes.height > 0 && attributes.width > 0,
                "expected pooled_height and pooled_width above 0");
  if (!checks.ok())
    return checks.diagnostics();
  return attributes;
}

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makeWeighted(const Op &op, const KernelRequest &request, Kind kind,
                                                    bool isGradient) {
  Result<RegionAttributes> attributes = regionsOf(op, request);
  if (!attributes)
    return attributes.diagnostics();
  return floatKernel(request, 2, [=, given = *attributes](Call &call, auto zero) {
    return weightedPool<decltype(zero)>(call, kind, given, isGradient);
  });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeRoiAlign(const RoiAlignAttributes &op,
                                                    const KernelRequest &request) {
  return makeWeighted(op, request, Kind::Align, false);
}
Result<std::unique_ptr<LibraryKernel>> makeRoiAlignGrad(const RoiAlignGradAttributes &op,
                                                        const KernelRequest &request) {
  return makeWeighted(op, request, Kind::Align, true);
}
Result<std::unique_ptr<LibraryKernel>> makePsroiPool(const PsroiPoolAttributes &op,
                                                     const KernelRequest &request) {
  return makeWeighted(op, request, Kind::PositionSensitive, false);
}
Result<std::unique_ptr<LibraryKernel>> makePsroiPoolGrad(const PsroiPoolGradAttributes &op,
                                                         const KernelRequest &request) {
  return makeWeighted(op, request, Kind::PositionSensitive, true);
}

Result<std::unique_ptr<LibraryKernel>> makeRoiPool(const RoiPoolAttributes &op,
                                                   const KernelRequest &request) {
  Result<RegionAttributes> attributes = regionsOf(op, request);
  if (!attributes)
    return attributes.diagnostics();
  return floatKernel(request, 2, [given = *attributes](Call &call, auto zero) {
    return maxPool<decltype(zero)>(call, given);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeRoiPoolGrad(const RoiPoolGradAttributes &op,
                                                       const KernelRequest &request) {
  return floatKernel(request, 2, [](Call &call, auto zero) { return maxPoolGradient<decltype(zero)>(call); });
}

} // namespace proa::runtime
