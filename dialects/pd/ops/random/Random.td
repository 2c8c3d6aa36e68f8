// Random ops.
#ifndef PROA_DIALECTS_PD_RANDOM_RANDOM
#define PROA_DIALECTS_PD_RANDOM_RANDOM

include "dialects/pd/ir/Base.td"

// Random numbers come from Philox4x32-10, a function of a key and a counter, so that each element depends on its
// index and not on the number of threads (lib/runtime/host/Random.h). A nonzero `seed` is the key: the op gives the
// same numbers each time it runs. With seed 0 the key is the model's seed, and each execution takes the next counters:
// a model that is opened again gives the same numbers again. A `seed_tensor` of two elements is the key and the number
// of an execution, as rt.random_call gives them: the op repeats the numbers of that execution.
//
// The numbers differ from Paddle's, whose generators differ by device; the distributions are the same.
//
// An element depends on its index only, so that devices sample their shards of a tensor: with `whole_shape` the result
// is the shard of a tensor of these dims that begins at the index `part_begin`, a vector of integers. Its numbers are
// the numbers that the whole has there.
//
// Each execution creates a new value (the effect MemAlloc): equal ops are not merged, moved out of loops, or computed
// before the run. An op with unused results is removed.
class Pd_RandomOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let pure = 0;
}
class Drawn<TypeConstraint type> : Res<type, "", [MemAlloc]>;
class RandomFloat<string value> : DefaultValuedAttr<F64Attr, value>;
class RandomInt<string value> : DefaultValuedAttr<I64Attr, value>;

defvar ShardConstraint =
  "C5. whole_shape has one entry for each dimension of the result, and part_begin is given with it as a vector of them";

// Ops with a shape only: the attribute, or the elements of `shape_tensor` if given.
class Pd_FilledAtRandomOp<string mnemonic, dag parameters> : Pd_RandomOp<mnemonic, [AttrSizedOperandSegments]> {
  let constraints = [
    "C1. no entry of shape is negative",
    "C2. shape_tensor has a static number of elements",
    "C3. out has the element type dtype",
    ShardConstraint
  ];
  let arguments = !con((ins Optional<Pd_IntTensor>:$shape_tensor, Optional<Pd_IntTensor>:$seed_tensor,
    Optional<Pd_IntTensor>:$part_begin, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shape, TypeAttr:$dtype,
    RandomInt<"0">:$seed, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$whole_shape), parameters);
  let infer = "inferRandomShape";
  let library = mnemonic;
  let libraryHalf = 1;
  let samples = "placesWithSeed(op.getSeedTensor(), op.getSeed())";
}
defvar ShapeInputs = ["ShapeTensorList*|ShapeTensor|@shape", "", ""];

def Pd_UniformOp : Pd_FilledAtRandomOp<"uniform", (ins RandomFloat<"-1.0">:$min, RandomFloat<"1.0">:$max,
    RandomInt<"0">:$diag_num, RandomInt<"0">:$diag_step, RandomFloat<"1.0">:$diag_val)> {
  let onnx = [OnnxWritten<"exportUniform">];
  let sharding = "inCode";
  let summary = "Random numbers, uniform in [min, max)";
  let description = [{
    The diag_num elements at 0, diag_step + 1, 2 * (diag_step + 1), ... are set to diag_val. `seed_tensor` overrides
    `seed`.
  }];
  let results = (outs Drawn<Pd_FloatTensor>:$out);
  let newIr = [NewIr<["shape_tensor", "#min", "#max"]>];
  let legacy = [
    Legacy<"uniform_random", ShapeInputs, ["Out"], ["shape:long", "dtype", "min", "max", "seed", "diag_num",
      "diag_step", "diag_val"]>,
    Legacy<"uniform_random_p", ["", "", ""], ["Out"], ["shape", "dtype", "min", "max", "seed"]>];
  let referenceInCode = 1;
}

def Pd_GaussianOp : Pd_FilledAtRandomOp<"gaussian", (ins RandomFloat<"0.0">:$mean, RandomFloat<"1.0">:$std)> {
  let onnx = [OnnxWritten<"exportGaussian">];
  let sharding = "inCode";
  let summary = "Random numbers, normally distributed";
  let results = (outs Drawn<Pd_FloatOrComplexTensor>:$out);
  let legacy = [Legacy<"gaussian_random", ShapeInputs, ["Out"], ["shape:long", "dtype", "mean", "std", "seed"]>];
  let referenceInCode = 1;
}

def Pd_TruncatedGaussianRandomOp : Pd_FilledAtRandomOp<"truncated_gaussian_random", (ins RandomFloat<"0.0">:$mean,
    RandomFloat<"1.0">:$std, RandomFloat<"-2.0">:$a, RandomFloat<"2.0">:$b)> {
  let onnx = [OnnxWritten<"exportTruncatedGaussian">];
  let sharding = "inCode";
  let summary = "Random numbers, normally distributed and truncated to mean + std * [a, b]";
  let results = (outs Drawn<Pd_FloatTensor>:$out);
  let legacy = [Legacy<"truncated_gaussian_random", ShapeInputs, ["Out"], ["shape", "dtype", "mean", "std", "seed", "a",
    "b"]>];
  let referenceInCode = 1;
}

def Pd_RandintOp : Pd_FilledAtRandomOp<"randint", (ins RandomInt<"0">:$low, RandomInt<"10">:$high)> {
  let onnx = [OnnxWritten<"exportRandint">];
  let sharding = "inCode";
  let summary = "Random integers, uniform in [low, high)";
  let constraints = [
    "C1. no entry of shape is negative",
    "C2. shape_tensor has a static number of elements",
    "C3. low < high",
    ShardConstraint
  ];
  let results = (outs Drawn<Pd_IntTensor>:$out);
  let infer = "inferRandint";
  let legacy = [Legacy<"randint", ShapeInputs, ["Out"], ["shape:long", "dtype", "seed", "low", "high"]>];
  let referenceInCode = 1;
}

def Pd_RandpermOp : Pd_RandomOp<"randperm"> {
  let onnx = [OnnxWritten<"exportRandperm">];
  let sharding = "whole: a permutation depends on all numbers";
  let summary = "A random permutation of 0 to n - 1";
  let constraints = ["C1. n >= 0"];
  let arguments = (ins I64Attr:$n, TypeAttr:$dtype, RandomInt<"0">:$seed);
  let results = (outs Drawn<Pd_RealTensor>:$out);
  let infer = "inferRandperm";
  let library = "randperm";
  let samples = "op.getSeed() == 0 ? 1 : 0";
  let legacy = [Legacy<"randperm", [], ["Out"], ["n", "dtype", "seed"]>];
  let referenceInCode = 1;
}

class Pd_BatchSizeLikeOp<string mnemonic, dag parameters> : Pd_RandomOp<mnemonic> {
  let description = "The shape is `shape`, with dim output_dim_idx replaced by dim input_dim_idx of the operand.";
  let constraints = [
    "C1. input_dim_idx is a dimension of input, and output_dim_idx one of shape",
    "C2. no other entry of shape is negative"
  ];
  let arguments = !con((ins Pd_Tensor:$input, DenseI64ArrayAttr:$shape, RandomInt<"0">:$input_dim_idx,
    RandomInt<"0">:$output_dim_idx, TypeAttr:$dtype, RandomInt<"0">:$seed), parameters);
  let results = (outs Drawn<Pd_FloatTensor>:$out);
  let infer = "inferBatchSizeLike";
  let decomposesInCode = 1;
}

def Pd_UniformRandomBatchSizeLikeOp : Pd_BatchSizeLikeOp<"uniform_random_batch_size_like",
  (ins RandomFloat<"-1.0">:$min,
    RandomFloat<"1.0">:$max, RandomInt<"0">:$diag_num, RandomInt<"0">:$diag_step, RandomFloat<"1.0">:$diag_val)> {
  let summary = "pd.uniform with one dim taken from another tensor";
  let legacy = [Legacy<"uniform_random_batch_size_like", ["Input"], ["Out"], ["shape", "input_dim_idx",
    "output_dim_idx", "dtype", "min", "max", "seed", "diag_num", "diag_step", "diag_val"]>];
}

def Pd_GaussianRandomBatchSizeLikeOp : Pd_BatchSizeLikeOp<"gaussian_random_batch_size_like",
  (ins RandomFloat<"0.0">:$mean,
    RandomFloat<"1.0">:$std)> {
  let summary = "pd.gaussian with one dim taken from another tensor";
  let legacy = [Legacy<"gaussian_random_batch_size_like", ["Input"], ["Out"], ["shape", "input_dim_idx",
    "output_dim_idx", "dtype", "mean", "std", "seed"]>];
}

// Ops whose result has the shape of x.
class Pd_RandomLikeOp<string mnemonic, TypeConstraint type, dag parameters = (ins)> : Pd_RandomOp<mnemonic> {
  let arguments = !con((ins type:$x, RandomInt<"0">:$seed), parameters);
  let results = (outs Drawn<type>:$out);
  let constraints = SameTypeAsX;
  let infer = "inferSameAsFirst";
}

def Pd_UniformInplaceOp : Pd_RandomLikeOp<"uniform_inplace", Pd_FloatTensor, (ins RandomFloat<"-1.0">:$min,
    RandomFloat<"1.0">:$max, RandomInt<"0">:$diag_num, RandomInt<"0">:$diag_step, RandomFloat<"1.0">:$diag_val)> {
  let summary = "pd.uniform with the shape and type of x";
  let decomposesInCode = 1;
  let legacy = [Legacy<"uniform_random_inplace", ["X"], ["Out"], ["min", "max", "seed", "diag_num", "diag_step",
    "diag_val"]>];
  let newIrGradients = ["uniform_inplace_grad(dout)"];
}

def Pd_GaussianInplaceOp : Pd_RandomLikeOp<"gaussian_inplace", Pd_FloatOrComplexTensor, (ins RandomFloat<"0.0">:$mean,
    RandomFloat<"1.0">:$std)> {
  let summary = "pd.gaussian with the shape and type of x";
  let decomposesInCode = 1;
  let legacy = [Legacy<"gaussian_inplace", ["x"], ["out"], ["mean", "std", "seed"]>];
  let newIrGradients = ["gaussian_inplace_grad(dout)"];
}

def Pd_BernoulliOp : Pd_RandomLikeOp<"bernoulli", Pd_FloatTensor> {
  let summary = "1 with probability x, else 0";
  let decomposesInCode = 1;
  let legacy = [Legacy<"bernoulli", ["X"], ["Out"], ["seed"]>,
                Legacy<"bernoulli_p", ["X"], ["Out"], ["seed"]>];
}

def Pd_ExponentialOp : Pd_RandomLikeOp<"exponential", Pd_FloatTensor, (ins RandomFloat<"1.0">:$lambda)> {
  let summary = "Exponentially distributed random numbers with mean 1 / lambda: -log(1 - u) / lambda";
  let decomposesInCode = 1;
  let legacy = [Legacy<"exponential", ["X"], ["Out"], ["lambda", "seed"]>];
}

// An op that samples for each element of x.
class Pd_SampledForEachOp<string mnemonic> : Pd_RandomOp<mnemonic> {
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_IntTensor>:$part_begin, RandomInt<"0">:$seed,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$whole_shape);
  let results = (outs Drawn<Pd_FloatTensor>:$out);
  let constraints = !listconcat(SameTypeAsX, [ShardConstraint]);
  let infer = "inferSampledForEach";
  let samples = "op.getSeed() == 0 ? 1 : 0";
}

def Pd_PoissonOp : Pd_SampledForEachOp<"poisson"> {
  let onnx = [OnnxWritten<"exportPoisson">];
  let sharding = "inCode";
  let summary = "Poisson-distributed random counts with mean x; the gradient is zero, as in Paddle";
  let library = "poisson";
  let vjp = ["", ""];
  let legacy = [Legacy<"poisson", ["X", ""], ["Out"], ["seed"]>];
  let newIrGradients = ["poisson_grad(dout)"];
  let referenceInCode = 1;
}

def Pd_BinomialOp : Pd_RandomOp<"binomial"> {
  let onnx = [OnnxWritten<"exportBinomial">];
  let sharding = "inCode";
  let summary = "Binomially distributed random counts of successes in `count` trials of probability `prob`; no "
    "gradient, as in Paddle";
  let description = "A negative count and a probability outside [0, 1] are errors of the run.";
  let constraints = [
    "C1. count, prob and out have the same dims",
    "C2. out has the element type i64",
    ShardConstraint
  ];
  let arguments = (ins Pd_RealTensor:$count, Pd_FloatTensor:$prob, Optional<Pd_IntTensor>:$part_begin,
    RandomInt<"0">:$seed, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$whole_shape);
  let results = (outs Drawn<Pd_IntTensor>:$out);
  let library = "binomial";
  let samples = "op.getSeed() == 0 ? 1 : 0";
  let vjp = ["", "", ""];
  let referenceInCode = 1;
}

def Pd_StandardGammaOp : Pd_SampledForEachOp<"standard_gamma"> {
  let onnx = [OnnxWritten<"exportStandardGamma">];
  let sharding = "inCode";
  let summary = "Gamma-distributed random numbers of shape x and scale 1";
  let description = "A result below the smallest normal number of the element type is replaced by that number.";
  let library = "standard_gamma";
  let legacy = [LegacyReadOnly<"standard_gamma", ["x", ""], ["out"], ["seed"]>];
  let referenceInCode = 1;
  let differentiable = 0;
}

def Pd_DirichletOp : Pd_RandomLikeOp<"dirichlet", Pd_FloatTensor> {
  let summary = "Dirichlet-distributed vectors along the last dimension: standard_gamma(x) divided by its sum";
  let decomposesInCode = 1;
  let legacy = [Legacy<"dirichlet", ["Alpha"], ["Out"], ["seed"]>];
}

def Pd_GumbelSoftmaxOp : Pd_RandomLikeOp<"gumbel_softmax", Pd_FloatTensor, (ins RandomFloat<"1.0">:$temperature,
    DefaultValuedAttr<BoolAttr, "false">:$hard, RandomInt<"-1">:$axis)> {
  let summary = "softmax((x + g) / temperature) along an axis, with Gumbel noise g = -log(-log(u))";
  let description = [{
    `hard` sets the largest element to 1 and all others to 0.
  }];
  let constraints = ["C1. axis is in [-rank, rank)"];
  let infer = "inferGumbelSoftmax";
  let decomposesInCode = 1;
  let legacy = [Legacy<"gumbel_softmax", ["X"], ["Out"], ["temperature", "hard", "axis", "seed"]>];
  let newIrGradients = ["gumbel_softmax_grad(out)"];
}

def Pd_MultinomialOp : Pd_RandomOp<"multinomial"> {
  let onnx = [OnnxWritten<"exportMultinomial", "isMultinomialInOnnx(op)">];
  let sharding = "whole: its samples follow from the whole operand";
  let summary = "Random indices into each row of x, with the elements of x as weights";
  let description = [{
    x has rank 1 or 2; the last dimension becomes num_samples. Without `replacement` the indices of a row are
    distinct. Errors of the run: negative weights, weights that are all zero, and fewer positive weights than samples
    without replacement.
  }];
  let constraints = [
    "C1. x has rank 1 or 2",
    "C2. num_samples is above 0"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_IntTensor>:$num_samples_tensor, RandomInt<"1">:$num_samples,
    DefaultValuedAttr<BoolAttr, "false">:$replacement, RandomInt<"0">:$seed);
  let results = (outs Drawn<Pd_IntTensor>:$out);
  let infer = "inferMultinomial";
  let library = "multinomial";
  let samples = "op.getSeed() == 0 ? 1 : 0";
  let legacy = [Legacy<"multinomial", ["X", "@num_samples"], ["Out"], ["num_samples", "replacement", "seed"]>];
  let referenceInCode = 1;
}

def Pd_SamplingIdOp : Pd_RandomOp<"sampling_id"> {
  let onnx = [OnnxWritten<"exportSamplingId">];
  let sharding = "whole: its samples follow from the whole operand";
  let summary = "For each row of x, the first index whose cumulative sum is above a uniform random number in [min, "
    "max)";
  let description = [{
    The last index if there is none.
  }];
  let constraints = ["C1. x has rank 2"];
  let arguments = (ins Pd_FloatTensor:$x, RandomFloat<"0.0">:$min, RandomFloat<"1.0">:$max, RandomInt<"0">:$seed);
  let results = (outs Drawn<Pd_IntTensor>:$out);
  let infer = "inferSamplingId";
  let library = "sampling_id";
  let samples = "op.getSeed() == 0 ? 1 : 0";
  let legacy = [Legacy<"sampling_id", ["X"], ["Out"], ["min", "max", "seed"]>];
  let referenceInCode = 1;
}

def Pd_SeedOp : Pd_RandomOp<"seed"> {
  let summary = "The seed as a tensor of one element; a random seed if it is 0";
  let arguments = (ins RandomInt<"0">:$seed);
  let results = (outs Drawn<Pd_IntTensor>:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"seed", [], ["Out"], ["seed"], ["rng_name=any", "force_cpu=any"]>];
}

def Pd_ShuffleBatchOp : Pd_RandomOp<"shuffle_batch"> {
  let onnx = [OnnxWritten<"exportShuffleBatch">];
  let sharding = "whole: its samples follow from the whole operand";
  let summary = "The rows of x in random order";
  let description = [{
    A row is a slice along the last dimension. Row i of out is row shuffle_idx[i] of x. The seed is the tensor `seed`,
    or startup_seed if that is 0; seed_out is the seed of the next shuffle.
  }];
  let constraints = ["C1. x has a dimension"];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$seed, RandomInt<"0">:$startup_seed);
  let results = (outs Drawn<Pd_Tensor>:$out, Drawn<Pd_IntTensor>:$shuffle_idx, Drawn<Pd_IntTensor>:$seed_out);
  let infer = "inferShuffleBatch";
  let library = "shuffle_batch";
  let samples = "op.getStartupSeed() == 0 ? placesWithSeed(op.getSeed(), 0) : 0";
  let vjpInCode = 1;
  let legacy = [Legacy<"shuffle_batch", ["X", "Seed"], ["Out", "ShuffleIdx", "SeedOut"], ["startup_seed"]>];
  let newIrGradients = ["shuffle_batch_grad(shuffle_idx)"];
  let referenceInCode = 1;
}

def Pd_ClassCenterSampleOp : Pd_RandomOp<"class_center_sample"> {
  let onnx = [OnnxWritten<"exportClassCenterSample">];
  let sharding = "whole: its samples follow from the whole operand";
  let summary = "The classes that occur in label with random others, and the labels as indices among them";
  let description = [{
    sampled_local_class_center has the classes of label in ascending order and, if they are fewer than num_samples,
    random other classes up to that number, in ascending order. remapped_label is the index of each label in it. One
    process: nranks is 1.
  }];
  let constraints = [
    "C1. nranks is 1",
    "C2. num_samples is in [1, num_classes]"
  ];
  let arguments = (ins Pd_IntTensor:$label, I64Attr:$num_classes, I64Attr:$num_samples, RandomInt<"0">:$ring_id,
    RandomInt<"0">:$rank, RandomInt<"1">:$nranks, DefaultValuedAttr<BoolAttr, "false">:$fix_seed, RandomInt<"0">:$seed);
  let results = (outs Drawn<Pd_IntTensor>:$remapped_label, Drawn<Pd_IntTensor>:$sampled_local_class_center);
  let infer = "inferClassCenterSample";
  let library = "class_center_sample";
  let samples = "op.getFixSeed() && op.getSeed() != 0 ? 0 : 1";
  let legacy = [Legacy<"class_center_sample", ["Label"], ["RemappedLabel", "SampledLocalClassCenter"], ["num_classes",
    "num_samples", "ring_id", "rank", "nranks", "fix_seed", "seed"]>];
  let referenceInCode = 1;
}

def Pd_SkipRandomOp : Pd_RandomOp<"skip_random", [MemoryEffects<[MemWrite<Resource<"::proa::pd::RandomSequence">>]>]> {
  let sharding = "whole: it acts on the sequence of a device";
  let summary = "Takes places in the sequence of the model's seed and samples nothing";
  let description = [{
    Later ops then sample as if `count` random ops had run here. A device has it instead of the random ops of other
    meshes.
  }];
  let constraints = ["C1. count is above 0"];
  let arguments = (ins I64Attr:$count);
  let results = (outs);
  let infer = "inferSkipRandom";
  let library = "skip_random";
  let libraryHalf = 1;
  let samples = "static_cast<int64_t>(op.getCount())";
  let batching = "refused";
  let hasCanonicalizeMethod = 1;
  let referenceInCode = 1;
}

def : OnnxFormula<"RandomNormal", "importRandomNormal">;
def : OnnxFormula<"RandomNormalLike", "importRandomNormalLike">;
def : OnnxFormula<"RandomUniform", "importRandomUniform">;
def : OnnxFormula<"RandomUniformLike", "importRandomUniformLike">;
def : OnnxFormula<"Bernoulli", "importBernoulli">;
def : OnnxFormula<"Multinomial", "importMultinomial">;

#endif
