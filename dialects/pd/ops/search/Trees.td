// Ensembles of decision trees.
#ifndef PROA_DIALECTS_PD_SEARCH_TREES
#define PROA_DIALECTS_PD_SEARCH_TREES

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/PartialLibrary.td"

// Ensembles of ai.onnx.ml.
def : OnnxFormula<"TreeEnsemble", "importTreeEnsemble", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"TreeEnsembleClassifier", "importTreeEnsembleClassifier", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"TreeEnsembleRegressor", "importTreeEnsembleRegressor", 1, 0, "ai.onnx.ml">;

def Pd_TreeEnsembleOp : Pd_Op<"tree_ensemble", [DeclareOpInterfaceMethods<PartialLibraryOpInterface>]> {
  let lod = "none";
  let summary = "Aggregated weights of the leaves that examples reach in decision trees";
  let description = [{
    An example begins at the root of each tree. Node n compares its feature f = `features`[n] with `splits`[n] and sends
    it to `branches`[n, outcome]:

        outcome = 0 where x[e, f] < splits[n], 1 where equal, 2 where greater, 3 where one of them is NaN
        out[e, k] = aggregate over the trees t of weights[leaf(e, t), k]

    All branches of a leaf lead to itself. leaf(e, t) is the node after `depth` steps from `roots`[t], at least as many
    as the deepest tree has levels below its root. The dims are x [examples, number of features], features and splits
    [nodes], branches [nodes, 4], roots [trees], weights [nodes, targets] and out [examples, targets]; rows of weights
    whose node is not a leaf have no effect. SUM and MEAN add in float64.

    The library kernel walks eight examples, or eight trees, at once. It reads the nodes once when the program is loaded
    if they are constant.

    Source: `TreeEnsemble` of ai.onnx.ml.
  }];
  let constraints = [
    "C1. x, branches and weights have rank 2, the other operands rank 1",
    "C2. features, splits, branches and weights have the same number of nodes, and branches has 4 columns",
    "C3. x, splits and weights have the same element type",
    "C4. depth is not negative"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$features, Pd_FloatTensor:$splits, Pd_IntTensor:$branches,
    Pd_IntTensor:$roots, Pd_FloatTensor:$weights, I64Attr:$depth,
    Pd_DefaultEnum<Pd_SegmentReduceAttr, "Sum">:$aggregate);
  let results = (outs Pd_FloatTensor:$out);
  let library = "tree_ensemble";
  let decomposesInCode = 1;
  let precision = "full";
  let sharding = "e *, *, *, * *, *, * k -> e k";
}

#endif
