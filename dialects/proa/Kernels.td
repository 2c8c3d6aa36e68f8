// Attributes of kernels and of their ops: how blocks and threads compute them. Passes write them where they choose, and
// all later passes read them. A person or a tuner may write them before: passes choose only fields that are not set.
#ifndef PROA_DIALECTS_PROA_KERNELS
#define PROA_DIALECTS_PROA_KERNELS

include "mlir/IR/AttrTypeBase.td"
include "dialects/proa/Dialect.td"
include "dialects/proa/Enums.td"

// Numbered constraints are checked by the attribute's verifier; messages cite the number.
class Proa_KernelAttr<string name, string mnemonic_> : AttrDef<Proa_Dialect, name> {
  let mnemonic = mnemonic_;
  let genVerifyDecl = 1;
}

// A field that is not set is not printed.
class Proa_OptionalField<string type, string desc> : OptionalParameter<"std::optional<" # type # ">", desc>;
class Proa_OptionalSizes<string desc> : OptionalArrayRefParameter<"int64_t", desc>;

def Proa_ContractionAttr : Proa_KernelAttr<"Contraction", "contraction"> {
  let summary = "How a block computes a tile of a contraction";
  let description = [{
    On a linalg op `out[.., m, n] += x[.., m, k] * y[.., k, n]`, and on `pd.grouped_matmul` and its gradient, whose
    loops are m, n and k:

    ```mlir
    #proa.contraction<kind = wgmma, tile = [128, 256, 64], warp = [64, 256], stages = 3, split_k = 4>
    ```

    | field | meaning |
    |---|---|
    | `kind` | `fma`, `mma` or `wgmma` |
    | `tile` | size of the tile of a block in each loop of the op; for k, the range in shared memory at once |
    | `warp` | rows and columns of the tile of a warp (`mma`), of a warpgroup (`wgmma`), or of a thread (`fma`) |
    | `stages` | k tiles of the operands in shared memory at once; from 2 on, later ones are copied during the matmul |
    | `split_k` | blocks that divide k of a tile among them, and with it all reductions of the kernel |
    | `whole_steps` | split-K slices are multiples of the k tile, except the last; `proa-split-reductions` sets it |

    Fields that are not set are chosen by `proa-choose-contraction`, and `split_k` by `proa-choose-slices`. On tensor
    cores operands of f32 are rounded to TF32.

    Constraints:
    - C1. sizes of `tile` are at least 1
    - C2. `warp` has two sizes, multiples of 4 x 4 (`fma`), 16 x 16 (`mma`) or 64 x 8 (`wgmma`)
    - C3. `stages` is 1 to 8, and at least 2 with `wgmma`
    - C4. `split_k` is 1 to 4096
    - C5. `tile` and `warp` are set together, and need `kind`
  }];
  let parameters = (ins
    Proa_OptionalField<"::proa::MatmulKind", "how threads multiply">:$kind,
    Proa_OptionalSizes<"tile of a block">:$tile,
    Proa_OptionalSizes<"tile of a warp, a warpgroup or a thread">:$warp,
    Proa_OptionalField<"int64_t", "k tiles in shared memory">:$stages,
    Proa_OptionalField<"int64_t", "blocks that divide k">:$split_k,
    DefaultValuedParameter<"bool", "false", "whether slices of k have whole k tiles">:$whole_steps);
  let assemblyFormat = [{
    `<` struct(custom<MatmulKind>($kind), custom<Sizes>($tile), custom<Sizes>($warp), $stages, $split_k,
               custom<Flag>($whole_steps)) `>`
  }];
  let extraClassDeclaration = [{
    /// Whether only `stages` and `split_k`, which have defaults, are missing.
    bool isComplete() const { return !getTile().empty(); }
    /// The same with `split_k`, and with `whole_steps`.
    ContractionAttr withSplitK(int64_t blocks) const;
    ContractionAttr withWholeSteps() const;
  }];
}

def Proa_AttentionAttr : Proa_KernelAttr<"Attention", "attention"> {
  let summary = "How a block computes a tile of attention";
  let description = [{
    On `pd.fused_attention`, a gradient of it or `pd.paged_attention`:

    ```mlir
    proa.attention = #proa.attention<kind = wgmma, tile = [128, 64], stages = 4>
    ```

    | field | meaning |
    |---|---|
    | `kind` | `fma`, `mma` or `wgmma` |
    | `tile` | queries and keys of a tile |
    | `stages` | tiles of keys and of values in shared memory at once; for gradients pairs of tiles |
    | `split_keys` | blocks that share the keys of a tile of queries; `pd.paged_attention` only |

    Fields that are not set are chosen by `proa-choose-attention`.

    Constraints:
    - C1. `tile` has two sizes, multiples of 16 up to 128
    - C2. `stages` is 1 to 8
    - C3. `split_keys` is 1 to 4096
    - C4. `tile` needs `kind`
  }];
  let parameters = (ins
    Proa_OptionalField<"::proa::MatmulKind", "how threads multiply">:$kind,
    Proa_OptionalSizes<"queries and keys of a tile">:$tile,
    Proa_OptionalField<"int64_t", "tiles in shared memory">:$stages,
    Proa_OptionalField<"int64_t", "blocks that share keys">:$split_keys);
  let assemblyFormat = [{
    `<` struct(custom<MatmulKind>($kind), custom<Sizes>($tile), $stages, $split_keys) `>`
  }];
}

def Proa_LaunchAttr : Proa_KernelAttr<"Launch", "launch"> {
  let summary = "The blocks of a launch of a kernel";
  let description = [{
    On a kernel for the GPU:

    ```mlir
    proa.launch = #proa.launch<threads = 256, row_blocks = 4>
    ```

    | field | meaning |
    |---|---|
    | `threads` | threads of a block; without them the kernel has no code for the GPU yet |
    | `row_blocks` | blocks that share the reductions of a row, in a kernel without contractions |
    | `resident_blocks` | blocks of a multiprocessor, which compute several rows each; not set: a block for each row |
    | `shared_bytes` | dynamic shared memory (`@NAME_shared`), where a block needs more than its static shared memory |

    If the number of rows is dynamic, blocks share a row only where there are fewer rows than `row_blocks`.

    Constraints:
    - C1. `threads` is 1 to 1024
    - C2. `row_blocks` is 1 to 4096
    - C3. `resident_blocks` is 1 to 64
    - C4. `shared_bytes` is not negative
  }];
  let parameters = (ins
    Proa_OptionalField<"int64_t", "threads of a block">:$threads,
    Proa_OptionalField<"int64_t", "blocks that share a row">:$row_blocks,
    Proa_OptionalField<"int64_t", "blocks of a multiprocessor">:$resident_blocks,
    Proa_OptionalField<"int64_t", "bytes of dynamic shared memory">:$shared_bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// The launch of a kernel; null without one.
    static LaunchAttr of(::mlir::Operation *kernel);
    /// The same, or one without fields.
    static LaunchAttr orEmpty(::mlir::Operation *kernel);

    LaunchAttr withThreads(std::optional<int64_t> threads) const;
    LaunchAttr withRowBlocks(std::optional<int64_t> blocks) const;
    LaunchAttr withResidentBlocks(std::optional<int64_t> blocks) const;
    LaunchAttr withSharedBytes(std::optional<int64_t> bytes) const;
    /// Replaces the launch of a kernel; removes it if no field is set.
    void setOn(::mlir::Operation *kernel) const;
  }];
}

def Proa_IndexCheckAttr : Proa_KernelAttr<"IndexCheck", "index_check"> {
  let summary = "A check that elements of an argument are indices or sizes";
  let description = [{
    On a kernel, as an element of the array `proa.index_checks`. The kernel has an argument for the words of all
    checks (`lib/runtime/run/KernelServices.h`): the last one, or before the range of rows.

    ```mlir
    proa.index_checks = [#proa.index_check<indices = 3, bound = 1, size = 9>]
    ```

    | field | meaning |
    |---|---|
    | `indices` | argument with the indices; not set: a constant |
    | `bound`, `axis` | argument whose dim `axis` (default 0) is the bound; not set: `size` is |
    | `size` | the bound, if it is static |
    | `kind` | `index` (default), `index_from_end`, or `group_size` (`lib/base/support/CheckedNumber.h`) |

    Constraints:
    - C1. `indices`, `bound` and `axis` are not negative
    - C2. without `bound` there is a `size`
  }];
  let parameters = (ins
    Proa_OptionalField<"int64_t", "argument with the indices">:$indices,
    Proa_OptionalField<"int64_t", "argument with the bound">:$bound,
    DefaultValuedParameter<"int64_t", "0", "dim that is the bound">:$axis,
    Proa_OptionalField<"int64_t", "the bound">:$size,
    DefaultValuedParameter<"::proa::CheckedNumber", "::proa::CheckedNumber::Index", "what is checked">:$kind);
  let assemblyFormat = "`<` struct($indices, $bound, $axis, $size, custom<CheckedNumber>($kind)) `>`";
}

def Proa_DimCheckAttr : Proa_KernelAttr<"DimCheck", "dim_check"> {
  let summary = "A condition on dims that only a run knows";
  let description = [{
    On a kernel, as an element of the array `proa.dim_checks`: a dim of an argument is equal to a dim of another
    argument, or to a number; with `may_be_one` it may also be 1, as the kernel then repeats its only index.

    ```mlir
    proa.dim_checks = [#proa.dim_check<argument = 1, axis = 0, other = 0, other_axis = 0>,
                       #proa.dim_check<argument = 2, axis = 1, size = 16>,
                       #proa.dim_check<argument = 3, axis = 0, other = 0, other_axis = 0, may_be_one = true>]
    ```

    Constraints:
    - C1. `argument`, `axis`, `other`, `other_axis` and `size` are not negative
    - C2. either `other` and `other_axis` are set, or `size`
  }];
  let parameters = (ins
    "int64_t":$argument, "int64_t":$axis,
    Proa_OptionalField<"int64_t", "the other argument">:$other,
    Proa_OptionalField<"int64_t", "its dim">:$other_axis,
    Proa_OptionalField<"int64_t", "the expected size">:$size,
    DefaultValuedParameter<"bool", "false", "whether the dim may be 1 instead">:$may_be_one);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Proa_DeviceKernelAttr : EnumAttr<Proa_Dialect, Proa_DeviceKernel, "device_kernel"> {
  let summary = "A kernel that only passes for the GPU lower";
  let description = [{
    On a function, instead of `proa.kernel`:

    ```mlir
    proa.device_kernel = #proa.device_kernel<op>
    ```

    With `op` it consists of one op of pd (`DeviceKernelOpInterface`); with `threads` its body is the code of one
    thread. Passes that lower kernels ignore it. `proa-lower-attention`, `proa-lower-grouped` and `proa-map-to-threads`
    replace it by `proa.kernel`.
  }];
  let assemblyFormat = "`<` $value `>`";
  let extraClassDeclaration = [{
    /// Whether a function is such a kernel; of a form.
    static bool isOn(::mlir::Operation *function);
    static bool isOn(::mlir::Operation *function, ::proa::DeviceKernel form);
  }];
}

def Proa_ThreadStrategyAttr : EnumAttr<Proa_Dialect, Proa_ThreadStrategy, "strategy"> {
  let summary = "How the threads of a block compute an op together";
  let description = [{
    On a kernel of an op of `pd::ThreadOpInterface`, and on such an op, where it overrides the op's choice:

    ```mlir
    proa.strategy = #proa.strategy<tiles>
    ```

    | strategies | ops |
    |---|---|
    | `lines`, `columns`, `tiles` | scans |
    | `shared`, `merge` | sorts, top-k |
    | `select` | top-k |
    | `ordered`, `atomic` | `rt.scatter_owned` |

    A strategy that an op cannot have is an error where the op is lowered (`pd-lower-to-linalg`).
  }];
  let assemblyFormat = "`<` $value `>`";
  let extraClassDeclaration = [{
    /// The strategy of a kernel, or the one that an op requests.
    static std::optional<::proa::ThreadStrategy> of(::mlir::Operation *op);
    static void setOn(::mlir::Operation *op, ::proa::ThreadStrategy strategy);
  }];
}

def Proa_KernelCallAttr : AttrDef<Proa_Dialect, "KernelCall"> {
  let mnemonic = "kernel_call";
  let summary = "The ops that a call of a kernel computes";
  let description = [{
    On a call of a kernel:

    ```mlir
    proa.kernel_call = #proa.kernel_call<label = "exp+sum+divide">
    ```

    | field | meaning |
    |---|---|
    | `label` | the ops; profiles show it |
    | `locations` | their locations, constants aside, in order; only on request (`pd-form-kernels`) |

    The ops in the kernel have the locations of its first caller.
  }];
  let parameters = (ins
    StringRefParameter<"names of the ops">:$label,
    OptionalParameter<"::mlir::ArrayAttr", "locations of the ops">:$locations);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// The attribute of a call, or null.
    static KernelCallAttr of(::mlir::Operation *call);
    void setOn(::mlir::Operation *call) const;
  }];
}

def Proa_TensorMapAttr : Proa_KernelAttr<"TensorMap", "tensor_map"> {
  let summary = "How a launch creates a tensor map (CUtensorMap)";
  let description = [{
    On a parameter of a kernel, after the range of rows:

    ```mlir
    proa.tensor_map = #proa.tensor_map<buffer = 0, element_bytes = 2, sizes = affine_map<()[s0] -> (s0, 128)>,
                                       box = [64, 64], swizzle = 128>
    ```

    | field | meaning |
    |---|---|
    | `buffer` | index of the buffer of the kernel that has the tensor, which is contiguous |
    | `element_bytes` | bytes of an element |
    | `sizes` | dims of the tensor, as products of dynamic dims of the kernel (symbols) |
    | `box` | elements of a copy in each dim, of which the last one is contiguous |
    | `swizzle` | bytes of the pattern in shared memory |

    Constraints:
    - C1. `buffer` is not negative
    - C2. `element_bytes` is 1, 2, 4 or 8
    - C3. `sizes` maps symbols to 1 to 5 products of symbols and numbers
    - C4. `box` has a size of 1 to 256 for each dim
    - C5. `swizzle` is 0, 32, 64 or 128
  }];
  let parameters = (ins
    "int64_t":$buffer, "int64_t":$element_bytes, "::mlir::AffineMapAttr":$sizes,
    ArrayRefParameter<"int64_t", "elements of a copy">:$box, "int64_t":$swizzle);
  let assemblyFormat = "`<` struct($buffer, $element_bytes, $sizes, custom<Sizes>($box), $swizzle) `>`";
}

def Proa_LoopsAttr : Proa_KernelAttr<"Loops", "loops"> {
  let summary = "How the threads of a block compute the loops of an op";
  let description = [{
    On a linalg op of a kernel that is not a contraction, and for `starts` on a contraction too:

    ```mlir
    proa.loops = #proa.loops<vector = 4, group = 32, starts = [0.0 : f32]>
    ```

    | field | meaning |
    |---|---|
    | `vector` | consecutive elements that a thread computes in one step (default 1) |
    | `group` | threads that compute one element of the result of a reduction together (default 1) |
    | `starts` | constants that the results of a reduction start with; `unit`: with the content of the memory |
    | `neutral` | constants of a reduction that selects its results together (the greatest element and its index) |
    | `fused_with` | a contraction's code contains the op, which computes an `operand`, or reads the `result` |

    Results that are combined with the constants of `neutral` stay.

    Constraints:
    - C1. `vector` is 1 to 16
    - C2. `group` is 1 to 1024
  }];
  let parameters = (ins
    Proa_OptionalField<"int64_t", "elements of a step">:$vector,
    Proa_OptionalField<"int64_t", "threads of a result">:$group,
    OptionalParameter<"::mlir::ArrayAttr", "what results start with">:$starts,
    OptionalParameter<"::mlir::ArrayAttr", "neutral elements">:$neutral,
    Proa_OptionalField<"::proa::FusedWith", "role in a contraction">:$fused_with);
  let assemblyFormat = "`<` struct($vector, $group, $starts, $neutral, custom<FusedWith>($fused_with)) `>`";
  let extraClassDeclaration = [{
    /// The attribute of an op; one without fields if it has none. Needs the loaded dialect.
    static LoopsAttr of(::mlir::Operation *op);

    LoopsAttr withVector(int64_t elements) const;
    LoopsAttr withGroup(int64_t threads) const;
    LoopsAttr withStarts(::mlir::ArrayAttr constants) const;
    LoopsAttr withNeutral(::mlir::ArrayAttr constants) const;
    LoopsAttr withFusedWith(::proa::FusedWith role) const;
    /// Replaces the attribute of an op.
    void setOn(::mlir::Operation *op) const;
  }];
}

def Proa_RowsAttr : Proa_KernelAttr<"Rows", "rows"> {
  let summary = "The rows of a kernel, which run in parallel";
  let description = [{
    On a kernel. A row is one tile of the results:

    ```mlir
    proa.rows = #proa.rows<count = 16, nanoseconds = 5.0 : f64, tiles = [1, 256], dims = [[0, 1], [0, -1]]>
    ```

    | field | meaning |
    |---|---|
    | `count` | number of rows; `?`: a run knows it |
    | `nanoseconds` | estimated time of all rows on one thread |
    | `tiles` | tile size of each row dimension, outermost first |
    | `dims` | for each result, the row dimension that each of its dimensions is, or -1 |

    Constraints:
    - C1. `count` is not negative
    - C2. sizes of `tiles` are at least 1
    - C3. entries of `dims` are -1 or a position in `tiles`
  }];
  let parameters = (ins
    Proa_OptionalField<"int64_t", "number of rows">:$count,
    OptionalParameter<"::mlir::FloatAttr", "estimated time">:$nanoseconds,
    Proa_OptionalSizes<"tile sizes">:$tiles,
    OptionalParameter<"::mlir::ArrayAttr", "row dimensions of each result, as DenseI64ArrayAttr">:$dims);
  let assemblyFormat = [{
    `<` struct(custom<Count>($count), $nanoseconds, custom<Sizes>($tiles), custom<SizeLists>($dims)) `>`
  }];
  let extraClassDeclaration = [{
    /// The rows of a kernel; without fields if it has no attribute. Needs the loaded dialect.
    static RowsAttr orEmpty(::mlir::Operation *kernel);
    /// The number of rows of a kernel, or kDynamic; 1 without the attribute.
    static int64_t countOf(::mlir::Operation *kernel);
    /// The estimated time of a kernel in nanoseconds; nothing without it.
    static std::optional<double> nanosecondsOf(::mlir::Operation *kernel);

    RowsAttr withCount(int64_t count) const;
    RowsAttr withNanoseconds(double nanoseconds) const;
    RowsAttr withTiles(::llvm::ArrayRef<int64_t> tiles, ::mlir::ArrayAttr dims) const;
    /// Replaces the attribute of a kernel.
    void setOn(::mlir::Operation *kernel) const;
  }];
}

def Proa_ScratchAttr : Proa_KernelAttr<"Scratch", "scratch"> {
  let summary = "Global memory that a kernel gets besides its operands";
  let description = [{
    On a kernel for the GPU, which has an argument for each buffer and for the counters after its results:

    ```mlir
    proa.scratch = #proa.scratch<buffers = [[8, 16, 264]], counters = true>
    ```

    | field | meaning |
    |---|---|
    | `buffers` | dims of each buffer, a tensor of bytes; `?` where the shape function computes them |
    | `counters` | `runtime::kernelCounters` counters of 32 bits, which are 0 before and after |

    Constraints:
    - C1. dims are not negative
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::ArrayAttr", "dims of each buffer, as DenseI64ArrayAttr">:$buffers,
    DefaultValuedParameter<"bool", "false", "whether there are counters">:$counters);
  let assemblyFormat = "`<` struct(custom<SizeLists>($buffers), custom<Flag>($counters)) `>`";
  let extraClassDeclaration = [{
    /// The scratch memory of a kernel; without fields if it has none. Needs the loaded dialect.
    static ScratchAttr orEmpty(::mlir::Operation *kernel);
    /// The dims of the buffers of a kernel.
    static ::llvm::SmallVector<::mlir::DenseI64ArrayAttr> buffersOf(::mlir::Operation *kernel);
    static bool hasCounters(::mlir::Operation *kernel);

    ScratchAttr withBuffer(::llvm::ArrayRef<int64_t> dims) const;
    ScratchAttr withCounters() const;
    /// Replaces the attribute of a kernel.
    void setOn(::mlir::Operation *kernel) const;
  }];
}

#endif
