/// Hash codes, quantized tables, and steps of a beam search.
#pragma once

#include "dialects/pd/ops/sequence/Labels.h"

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
mlir::LogicalResult inferLookupTableDequant(std::optional<mlir::Location> location, Adaptor adaptor,
                                            Results &results) {
  auto table = tensorType(adaptor.getW()), ids = tensorType(adaptor.getIds());
  bool fits = table.getRank() == 2 && table.getElementType().isF32() && ids.getRank() > 0 &&
              (table.isDynamicDim(1) || table.getDimSize(1) > 2) &&
              (ids.isDynamicDim(ids.getRank() - 1) || ids.getDimSize(ids.getRank() - 1) == 1);
  if (failed(require(location, fits, "C1: w must be float32 [rows, 3 or more], and the last extent of ids 1",
                     adaptor.getOperands())))
    return mlir::failure();
  llvm::SmallVector<int64_t> shape(ids.getShape());
  shape.back() = table.isDynamicDim(1) ? mlir::ShapedType::kDynamic : 4 * (table.getDimSize(1) - 2);
  results.push_back(table.clone(shape));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferBeamSearch(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  auto scores = tensorType(adaptor.getScores());
  bool fits = scores.getRank() == 2 && (!adaptor.getIds() || tensorType(adaptor.getIds()).getRank() == 2) &&
              mayHaveElements(adaptor.getPreIds(), scores.getDimSize(0)) &&
              mayHaveElements(adaptor.getPreScores(), scores.getDimSize(0));
  if (failed(require(location, fits,
                     "C1: scores and ids must be [prefixes, candidates], and pre_ids and pre_scores have one "
                     "element a prefix",
                     adaptor.getOperands())))
    return mlir::failure();
  if (static_cast<int64_t>(adaptor.getBeamSize()) < 1)
    return inferenceError(location, "C2: beam_size must be positive");
  mlir::MLIRContext *context = scores.getContext();
  int64_t open = mlir::ShapedType::kDynamic, prefixes = scores.getDimSize(0);
  auto integer = [&](llvm::ArrayRef<int64_t> shape, unsigned bits) {
    return mlir::RankedTensorType::get(shape, mlir::IntegerType::get(context, bits));
  };
  results.push_back(integer({open, 1}, 64));
  results.push_back(scores.clone({open, 1}));
  results.push_back(integer({open}, 32));
  results.push_back(integer({scores.isDynamicDim(0) ? open : prefixes + 1}, 64));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferPyramidHash(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  auto x = tensorType(adaptor.getX()), w = tensorType(adaptor.getW());
  auto whole = [](auto number) { return static_cast<int64_t>(number); };
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
#include "dialects/pd/ops/search/Tables.h.inc"
