// Ops on images in a layout that an attribute names.
#ifndef PROA_DIALECTS_PD_LAYOUT
#define PROA_DIALECTS_PD_LAYOUT

include "mlir/IR/OpBase.td"

def LayoutOpInterface : OpInterface<"LayoutOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op on images: batches whose channels are dimension 1 (channels first) or the last dimension (channels last). Its
    attribute `data_format` is the layout of its image operands and results. The defaults describe an op whose first
    operand and whose results of the same rank are images.
  }];
  let methods =
      [InterfaceMethod<"Layout of the images; nothing if `data_format` leaves it open (AnyLayout).",
                       "::std::optional<::proa::pd::ImageLayout>", "getImageLayout", (ins), "",
                       [{ return ::proa::pd::imageLayoutOf($_op.getDataFormat()); }]>,
       InterfaceMethod<"Number of leading operands that are images.", "unsigned", "getNumImageOperands",
                       (ins), "", [{ return 1; }]>,
       InterfaceMethod<"Whether results of the rank of an image are images.", "bool", "hasImageResults",
                       (ins), "", [{ return true; }]>,
       InterfaceMethod<
           "Whether the op, with its other attributes, has the same meaning on images in `layout`.", "bool",
           "supportsImageLayout", (ins "::proa::pd::ImageLayout":$layout), "", [{ return true; }]>,
       InterfaceMethod<
           "Sets the layout of two-dimensional images; the caller changes operands and result types.", "void",
           "setImageLayout", (ins "::proa::pd::ImageLayout":$layout), "",
           [{ $_op.setDataFormat(::proa::pd::imageFormat(layout)); }]>,
  ];
}

#endif
