/// Convolutions, and windows as columns.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Layout.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/conv/Window.h"

namespace proa::pd {

/// The window of a convolution, for ops and adaptors.
template <class ConvOp> Window convWindow(ConvOp op, int64_t spatial, mlir::RankedTensorType filter) {
  llvm::SmallVector<int64_t> kernel(filter.getShape().drop_front(std::min<size_t>(2, filter.getRank())));
  return {spatial,
          kernel,
          llvm::SmallVector<int64_t>(op.getStrides()),
          llvm::SmallVector<int64_t>(op.getPaddings()),
          llvm::SmallVector<int64_t>(op.getDilations()),
          op.getPaddingAlgorithm()};
}

/// The result of a convolution: of `element`, or by default of the element type that both operands must
/// share.
mlir::LogicalResult inferConvOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                const Window &window, int64_t groups, DataFormat dataFormat, Results &results,
                                mlir::Type element = {});
mlir::LogicalResult inferConvTransposeOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                         const Window &window, int64_t groups, DataFormat dataFormat,
                                         llvm::ArrayRef<int64_t> outputPadding,
                                         llvm::ArrayRef<int64_t> outputSize, Results &results);

template <int64_t spatial, class Adaptor>
mlir::LogicalResult inferConv(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferConvOf(location, adaptor.getOperands(),
                     convWindow(adaptor, spatial, tensorType(adaptor.getFilter())), adaptor.getGroups(),
                     adaptor.getDataFormat(), results);
}

template <class Adaptor>
mlir::LogicalResult inferIntegerConv2d(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  return inferConvOf(location, adaptor.getOperands(), convWindow(adaptor, 2, tensorType(adaptor.getFilter())),
                     adaptor.getGroups(), adaptor.getDataFormat(), results,
                     mlir::IntegerType::get(adaptor.getInput().getContext(), 32));
}

template <int64_t spatial, class Adaptor>
mlir::LogicalResult inferConvTranspose(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  return inferConvTransposeOf(location, adaptor.getOperands(),
                              convWindow(adaptor, spatial, tensorType(adaptor.getFilter())),
                              adaptor.getGroups(), adaptor.getDataFormat(), adaptor.getOutputPadding(),
                              adaptor.getOutputSize(), results);
}

mlir::LogicalResult inferConvWeightGradientOf(std::optional<mlir::Location> location,
                                              mlir::RankedTensorType input,
                                              mlir::RankedTensorType outGradient, const Window &window,
                                              int64_t groups, DataFormat dataFormat, Results &results);

template <int64_t spatial, class Adaptor>
mlir::LogicalResult inferConvWeightGradient(std::optional<mlir::Location> location, Adaptor adaptor,
                                            Results &results) {
  Window window{spatial,
                llvm::SmallVector<int64_t>(adaptor.getKernelSize()),
                llvm::SmallVector<int64_t>(adaptor.getStrides()),
                llvm::SmallVector<int64_t>(adaptor.getPaddings()),
                llvm::SmallVector<int64_t>(adaptor.getDilations()),
                adaptor.getPaddingAlgorithm()};
  return inferConvWeightGradientOf(location, tensorType(adaptor.getInput()),
                                   tensorType(adaptor.getOutGradient()), window, adaptor.getGroups(),
                                   adaptor.getDataFormat(), results);
}

/// The window of unfold and fold; C2.
mlir::FailureOr<Window> foldWindow(std::optional<mlir::Location> location, llvm::ArrayRef<int64_t> kernel,
                                   llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> paddings,
                                   llvm::ArrayRef<int64_t> dilations);
mlir::LogicalResult inferUnfoldOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                  const Window &window, Results &results);
mlir::LogicalResult inferFoldOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                llvm::ArrayRef<int64_t> output, const Window &window, Results &results);

template <class Adaptor>
mlir::LogicalResult inferUnfold(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto window = foldWindow(location, adaptor.getKernelSizes(), adaptor.getStrides(), adaptor.getPaddings(),
                           adaptor.getDilations());
  return failed(window) ? mlir::failure()
                        : inferUnfoldOf(location, tensorType(adaptor.getX()), *window, results);
}

template <class Adaptor>
mlir::LogicalResult inferFold(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto window = foldWindow(location, adaptor.getKernelSizes(), adaptor.getStrides(), adaptor.getPaddings(),
                           adaptor.getDilations());
  if (failed(window))
    return mlir::failure();
  return inferFoldOf(location, tensorType(adaptor.getX()), adaptor.getOutputSizes(), *window, results);
}

} // namespace proa::pd
