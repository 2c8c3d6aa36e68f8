//! Hooks of ONNX's poolings.
//!
//! Poolings that pd.pool2d lacks (dilations, the rounding up of ONNX) become poolings of an image that has
//! the elements of all windows: the padded image, gathered along each dimension.
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Window.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/image/PoolOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

/// An image of two or three spatial dimensions and the window of a pooling.
struct OnnxPooling {
  Expression x;
  OnnxWindow window;
  /// Additional padding after each dimension, for windows that begin in the image and end after it.
  llvm::SmallVector<int64_t> rest;
  bool ceilMode = false; ///< the dims that decide about `rest` are dynamic
  bool isLifted = false; ///< from one spatial dimension

  bool hasRest() const {
    return llvm::any_of(rest, [](int64_t n) { return n != 0; });
  }
  llvm::SmallVector<int64_t> paddingsWithRest() const {
    llvm::SmallVector<int64_t> paddings = window.paddings;
    for (size_t i = 0; i < rest.size(); ++i)
      paddings[2 * i + 1] += rest[i];
    return paddings;
  }
};

/// The window after the last that fits counts if it begins before the padding after the image.
static void roundUp(NodeImporter &node, OnnxPooling &pooling, llvm::ArrayRef<int64_t> input) {
  const OnnxWindow &window = pooling.window;
  if (window.algorithm == pd::PaddingAlgorithm::Same)
    return; // rounded up already
  for (size_t i = 0; i < input.size(); ++i) {
    int64_t stride = window.strides[i], before = window.paddings[2 * i], after = window.paddings[2 * i + 1];
    if (ShapedType::isDynamic(input[i])) {
      pooling.ceilMode = true;
      if (after + stride <= window.width(i))
        continue; // the additional window always begins before the padding
      node.reportOpen("attribute 'ceil_mode' is 1 with paddings that need static spatial dims of the input");
      node.stop();
    }
    int64_t room = input[i] + before + after - window.width(i);
    int64_t count = (room + stride - 1) / stride + 1;
    if ((count - 1) * stride >= input[i] + before)
      --count;
    pooling.rest[i] = std::max<int64_t>((count - 1) * stride - room, 0);
  }
}

static OnnxPooling readPooling(NodeImporter &node) {
  Expression x = node.operand("X|x");
  llvm::SmallVector<int64_t> input = spatialDimsOf(node, x);
  OnnxPooling pooling{x, readWindow(node, input), llvm::SmallVector<int64_t>(input.size(), 0)};
  if (node.boolAttribute("ceil_mode"))
    roundUp(node, pooling, input);
  if (input.size() == 1) {
    addUnitDimension(pooling.window);
    pooling.rest.insert(pooling.rest.begin(), 0);
    pooling.x = insertDim(x, 2);
    pooling.isLifted = true;
  }
  return pooling;
}

static void setPooled(NodeImporter &node, const OnnxPooling &pooling, llvm::StringRef name, Expression out) {
  node.setOutput(name, pooling.isLifted ? dropDim(out, 2) : out);
}

/// pd's pooling of x with the strides and kernel of the window.
static Expression pool(NodeImporter &node, Expression x, const OnnxPooling &pooling,
                       llvm::ArrayRef<int64_t> paddings, pd::PoolingType type, bool isExclusive) {
  const OnnxWindow &window = pooling.window;
  if (window.spatial() == 2)
    return node.create<pd::Pool2dOp>(x, Value(), window.kernel, window.strides, paddings, pooling.ceilMode,
                                     isExclusive, pd::DataFormat::NCHW, type, false, false, window.algorithm);
  return node.create<pd::Pool3dOp>(x, Value(), window.kernel, window.strides, paddings, pooling.ceilMode,
                                   isExclusive, pd::DataFormat::NCDHW, type, false, false, window.algorithm);
}

static Expression padded(NodeImporter &node, Expression x, llvm::ArrayRef<int64_t> paddings, double value) {
  if (llvm::all_of(paddings, [](int64_t n) { return n == 0; }))
    return x;
  llvm::SmallVector<int64_t> all(4, 0);
  llvm::append_range(all, paddings);
  return node.create<pd::PadOp>(x, all, llvm::APFloat(value));
}

/// The elements of all windows of a padded image, window after window: a pooling with the strides of its
/// kernel has the same windows.
static Expression gatherWindows(NodeImporter &node, Expression x, const OnnxWindow &window) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  for (size_t i = 0; i < window.spatial(); ++i) {
    auto axis = static_cast<int64_t>(i) + 2;
    DimSize windows = add(e, divide(e, add(e, DimSize(x, axis), -window.width(i)), window.strides[i]), 1);
    Expression starts = e.reshape(iota(e, windows, i64), {-1, 1}) * static_cast<double>(window.strides[i]),
               offsets = iota(e, window.kernel[i], i64) * static_cast<double>(window.dilations[i]);
    Expression indices = e.reshape(starts + offsets, {-1});
    x = node.create<pd::GatherOp>(x, indices, Value(), axis);
  }
  return x;
}

static OnnxPooling withoutPaddings(const OnnxPooling &pooling) {
  OnnxPooling bare = pooling;
  bare.window.paddings.assign(2 * bare.window.spatial(), 0);
  bare.window.strides = bare.window.kernel;
  bare.ceilMode = false;
  return bare;
}

/// Reports paddings that follow from dynamic dims.
static void requireStatic(NodeImporter &node, const OnnxPooling &pooling) {
  requireExplicit(node, pooling.window);
  if (!pooling.ceilMode)
    return;
  node.reportOpen(
      "attribute 'ceil_mode' is 1, which needs static spatial dims of the input for this pooling");
  node.stop();
}

//===-- Maximum -----------------------------------------------------------------------------------------===//

static Expression maxPooled(NodeImporter &node, Expression x, const OnnxPooling &pooling) {
  if (!pooling.window.isDilated())
    return pool(node, x, pooling, pooling.paddingsWithRest(), pd::PoolingType::Max, true);
  requireStatic(node, pooling);
  Expression all =
      gatherWindows(node, padded(node, x, pooling.paddingsWithRest(), -INFINITY), pooling.window);
  OnnxPooling bare = withoutPaddings(pooling);
  return pool(node, all, bare, bare.window.paddings, pd::PoolingType::Max, true);
}

/// Positions in the image from indices into the plane of `all`: the windows of the image, if it is dilated,
/// else the padded image. The last dimension comes last.
static llvm::SmallVector<Expression> positionsOf(NodeImporter &node, Expression indices, Expression all,
                                                 const OnnxPooling &pooling) {
  pd::TensorBuilder &e = node.tensors();
  const OnnxWindow &window = pooling.window;
  llvm::SmallVector<Expression> positions(window.spatial(), indices);
  auto divided = [&](Expression x, Expression y) { return node.create<pd::FloorDivideOp>(x, y); };
  for (size_t i = window.spatial(); i-- > 0;) {
    Expression dim = e.wrap(DimSize(all, static_cast<int64_t>(i) + 2).getValue(e));
    Expression quotient = divided(indices, dim), position = indices - quotient * dim;
    if (window.isDilated()) {
      Expression kernel = e.constant(static_cast<double>(window.kernel[i]), indices.type().getElementType());
      Expression start = divided(position, kernel), offset = position - start * kernel;
      position =
          start * static_cast<double>(window.strides[i]) + offset * static_cast<double>(window.dilations[i]);
    }
    positions[i] = position - static_cast<double>(window.paddings[2 * i]);
    indices = quotient;
  }
  return positions;
}

/// Indices into x as one list, from positions in its planes.
static Expression flatIndices(NodeImporter &node, llvm::ArrayRef<Expression> positions, Expression x,
                              bool isColumnMajor) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  auto dim = [&](int64_t axis) { return e.wrap(DimSize(x, axis).getValue(e)); };
  // Planes are numbered over batch and channels.
  Expression planes = e.reshape(iota(e, multiply(e, DimSize(x, 0), DimSize(x, 1)), i64), {-1});
  llvm::SmallVector<DimSize> shape{DimSize(x, 0), DimSize(x, 1)};
  shape.append(positions.size(), DimSize(1));
  Expression plane = reshapeTo(planes, shape);
  auto n = static_cast<int64_t>(positions.size());
  Expression size = dim(2), within = positions[isColumnMajor ? n - 1 : 0];
  for (int64_t i = 1; i < n; ++i) {
    size = size * dim(2 + i);
    int64_t next = isColumnMajor ? n - 1 - i : i;
    within = within * dim(2 + next) + positions[next];
  }
  return plane * size + within;
}

/// Maxima and their indices.
static void importMaxPoolWithIndices(NodeImporter &node, const OnnxPooling &pooling, Expression x,
                                     Type element) {
  const OnnxWindow &window = pooling.window;
  pd::TensorBuilder &e = node.tensors();
  requireStatic(node, pooling);
  Expression all = padded(node, x, pooling.paddingsWithRest(), -INFINITY);
  OnnxPooling bare = pooling;
  if (window.isDilated()) {
    all = gatherWindows(node, all, window);
    bare = withoutPaddings(pooling);
  }
  llvm::SmallVector<int64_t> zeros(window.spatial(), 0);
  Operation *pooled;
  if (window.spatial() == 2)
    pooled = node.createOp<pd::MaxPool2dWithIndexOp>(all, bare.window.kernel, bare.window.strides, zeros);
  else
    pooled = node.createOp<pd::MaxPool3dWithIndexOp>(all, bare.window.kernel, bare.window.strides, zeros);
  Expression indices = e.cast(node.wrap(pooled->getResult(1)), node.getBuilder().getI64Type());
  setPooled(node, pooling, "Y", e.cast(node.wrap(pooled->getResult(0)), element));
  setPooled(
      node, pooling, "Indices",
      flatIndices(node, positionsOf(node, indices, all, pooling), x, node.boolAttribute("storage_order")));
}

void importMaxPool(NodeImporter &node) {
  OnnxPooling pooling = readPooling(node);
  Type element = pooling.x.type().getElementType();
  // float32 has all numbers of 8 bits.
  Expression x =
      isa<FloatType>(element) ? pooling.x : node.tensors().cast(pooling.x, node.getBuilder().getF32Type());
  if (node.needsOutput("Indices"))
    return importMaxPoolWithIndices(node, pooling, x, element);
  node.intAttribute("storage_order"); // an order of the indices
  setPooled(node, pooling, "Y|y", node.tensors().cast(maxPooled(node, x, pooling), element));
}

//===-- Mean and norm -----------------------------------------------------------------------------------===//

/// The mean over windows, with zeros around the image, which count.
static Expression meanWithZeros(NodeImporter &node, Expression x, const OnnxPooling &pooling) {
  OnnxPooling bare = pooling;
  if (pooling.window.isPadded() || pooling.window.isDilated())
    requireStatic(node, pooling);
  Expression all = padded(node, x, pooling.paddingsWithRest(), 0);
  bare.window.paddings.assign(2 * bare.window.spatial(), 0);
  if (pooling.window.isDilated()) {
    all = gatherWindows(node, all, pooling.window);
    bare = withoutPaddings(pooling);
  }
  return pool(node, all, bare, bare.window.paddings, pd::PoolingType::Avg, false);
}

/// The mean over the elements of dilated windows that count: the elements of the image or also its paddings,
/// but not `rest`.
static Expression dilatedMean(NodeImporter &node, OnnxPooling pooling, bool countsPaddings) {
  if (countsPaddings) {
    pooling.x = padded(node, pooling.x, pooling.window.paddings, 0);
    pooling.window.paddings.assign(2 * pooling.window.spatial(), 0);
  }
  Expression mean = meanWithZeros(node, pooling.x, pooling);
  if (!pooling.window.isPadded() && !pooling.hasRest())
    return mean;
  llvm::SmallVector<DimSize> shape = dimSizesOf(pooling.x);
  shape[0] = shape[1] = DimSize(1);
  Expression ones = expandTo(node.scalar(1, mean.type().getElementType()), shape);
  return mean / meanWithZeros(node, ones, pooling);
}

void importAveragePool(NodeImporter &node) {
  OnnxPooling pooling = readPooling(node);
  bool countsPaddings = node.boolAttribute("count_include_pad");
  if (pooling.window.isDilated())
    return setPooled(node, pooling, "Y", dilatedMean(node, pooling, countsPaddings));
  Expression x = pooling.x;
  llvm::SmallVector<int64_t> paddings = pooling.paddingsWithRest();
  // Paddings count, but what is after them does not. pd assumes that both paddings of a dimension are equal.
  bool isMixed = countsPaddings && pooling.window.isPadded() &&
                 (pooling.hasRest() || pooling.ceilMode || !pooling.window.isSymmetric());
  if (isMixed) {
    requireExplicit(node, pooling.window);
    x = padded(node, x, pooling.window.paddings, 0);
    paddings.assign(paddings.size(), 0);
    for (size_t i = 0; i < pooling.rest.size(); ++i)
      paddings[2 * i + 1] = pooling.rest[i];
  }
  bool isExclusive = isMixed || pooling.hasRest() || pooling.ceilMode || !countsPaddings;
  setPooled(node, pooling, "Y", pool(node, x, pooling, paddings, pd::PoolingType::Avg, isExclusive));
}

/// |x|^p.
static Expression powerOf(NodeImporter &node, Expression x, int64_t p) {
  pd::TensorBuilder &e = node.tensors();
  if (p == 2)
    return x * x;
  Expression magnitude = e.abs(x);
  return p == 1 ? magnitude : e.pow(magnitude, e.constant(static_cast<double>(p), x.type().getElementType()));
}

static Expression rootOf(NodeImporter &node, Expression x, int64_t p) {
  pd::TensorBuilder &e = node.tensors();
  if (p == 1)
    return x;
  return p == 2 ? e.sqrt(x) : e.pow(x, e.constant(1.0 / static_cast<double>(p), x.type().getElementType()));
}

void importLpPool(NodeImporter &node) {
  OnnxPooling pooling = readPooling(node);
  int64_t p = node.intAttribute("p", 2);
  Type element = pooling.x.type().getElementType();
  if (pooling.ceilMode)
    requireStatic(node, pooling);
  Expression powers = powerOf(node, node.tensors().computed(pooling.x), p);
  Expression sums = meanWithZeros(node, powers, pooling) * static_cast<double>(pooling.window.count());
  setPooled(node, pooling, "Y", node.tensors().cast(rootOf(node, sums, p), element));
}

//===-- Over all spatial dimensions ---------------------------------------------------------------------===//

static void importGlobalPool(NodeImporter &node, pd::PoolingType type) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  int64_t rank = x.rank();
  bool isImage = rank == 4 || rank == 5;
  Expression image = isImage ? x : e.reshape(x, {0, 0, 1, -1});
  llvm::ArrayRef<int64_t> none;
  Expression out =
      rank == 5
          ? node.create<pd::Pool3dOp>(image, Value(), none, none, none, false, true, pd::DataFormat::NCDHW,
                                      type, true, false, pd::PaddingAlgorithm::Explicit)
          : node.create<pd::Pool2dOp>(image, Value(), none, none, none, false, true, pd::DataFormat::NCHW,
                                      type, true, false, pd::PaddingAlgorithm::Explicit);
  llvm::SmallVector<int64_t> shape(rank, 1);
  shape[0] = shape[1] = 0;
  node.setOutput("Y", isImage ? out : e.reshape(out, shape));
}

void importGlobalAveragePool(NodeImporter &node) { importGlobalPool(node, pd::PoolingType::Avg); }
void importGlobalMaxPool(NodeImporter &node) { importGlobalPool(node, pd::PoolingType::Max); }

void importGlobalLpPool(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  int64_t p = node.intAttribute("p", 2);
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, x.rank()));
  Expression sums = e.sum(powerOf(node, e.computed(x), p), axes);
  node.setOutput("Y", e.cast(rootOf(node, sums, p), x.type().getElementType()));
}

} // namespace proa::import::onnxhooks
