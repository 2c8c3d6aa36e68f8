/// Type inference of hashes.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferHash(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  auto hashes = static_cast<int64_t>(adaptor.getNumHash());
  if (failed(require(location, x.getRank() == 2, "C1: x must be [rows, elements]", adaptor.getOperands())))
    return mlir::failure();
  if (hashes < 1 || static_cast<int64_t>(adaptor.getModBy()) < 1)
    return inferenceError(location, "C2: num_hash and mod_by must be positive");
  results.push_back(x.clone({x.getDimSize(0), hashes, 1}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferPyramidHash(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  auto x = tensorType(adaptor.getX()), w = tensorType(adaptor.getW());
  auto whole = [](auto value) { return static_cast<int64_t>(value); };
  int64_t space = whole(adaptor.getSpaceLen()), length = whole(adaptor.getRandLen()),
          width = whole(adaptor.getNumEmb()), layers = whole(adaptor.getPyramidLayer());
  bool fits = x.getRank() == 2 && w.getRank() == 2 && w.getElementType().isF32() &&
              (w.isDynamicDim(0) || w.getDimSize(0) == space + length);
  if (failed(require(location, fits, "C1: x must be [ids, 1] and w float32 [space_len + rand_len, 1]",
                     adaptor.getOperands())))
    return mlir::failure();
  if (space < 1 || length < 1 || width < 1 || width % length != 0 || layers < 2)
    return inferenceError(location, "C2: space_len, rand_len and num_emb must be positive, rand_len divide "
                                    "num_emb, and pyramid_layer be 2 or more");
  if (adaptor.getUseFilter() && whole(adaptor.getWhiteListLen()) + whole(adaptor.getBlackListLen()) > 0)
    return inferenceError(location, "C3: filters are not supported, found white_list_len " +
                                        llvm::Twine(whole(adaptor.getWhiteListLen())) +
                                        " and black_list_len " +
                                        llvm::Twine(whole(adaptor.getBlackListLen())));
  int64_t open = mlir::ShapedType::kDynamic, rows = x.getDimSize(0);
  mlir::MLIRContext *context = x.getContext();
  results.push_back(w.clone({open, width}));
  results.push_back(mlir::RankedTensorType::get({x.isDynamicDim(0) ? open : rows * layers, 1},
                                                mlir::IntegerType::get(context, 32)));
  results.push_back(w.clone(x.getShape()));
  results.append(2, mlir::RankedTensorType::get(tensorType(adaptor.getOffsets()).getShape(),
                                                mlir::IntegerType::get(context, 64)));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Hash.h.inc"
