/// Names of the attributes that say what the arguments and results of a program's function are.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace proa::pd {

/// On an argument: the name of the feed that the argument is.
inline constexpr llvm::StringLiteral feedAttribute = "pd.feed";
/// On an argument: the name of the parameter that the argument is.
inline constexpr llvm::StringLiteral parameterAttribute = "pd.param";
/// On a result: the name of the fetch that the result is.
inline constexpr llvm::StringLiteral fetchAttribute = "pd.fetch";
/// On a result: the name of the parameter whose value for the next run the result is.
inline constexpr llvm::StringLiteral stateAttribute = "pd.state";
/// On an argument or a result that is a level of a LoD: the name of the feed or fetch that has the LoD.
inline constexpr llvm::StringLiteral lodOwnerAttribute = "pd.lod_of";
/// On an argument that is an element of a sequence of tensors that is fed: the name of the feed. On the two
/// results that are a fetched sequence (lib/base/support/Sequences.h): the name of the fetch.
inline constexpr llvm::StringLiteral sequenceAttribute = "pd.sequence_of";
/// On an argument or a result: the names of its dims (an array of strings, "" for a dim without a name). Dims
/// of feeds with one name have one size in a run.
inline constexpr llvm::StringLiteral dimNamesAttribute = "pd.dim_names";
/// On an op: its sharding rule as text.
inline constexpr llvm::StringLiteral shardingRuleAttribute = "pd.sharding_rule";

} // namespace proa::pd
