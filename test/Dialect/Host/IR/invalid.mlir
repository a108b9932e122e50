// RUN: nautilus-opt %s --split-input-file --verify-diagnostics
//
// One case per numbered constraint, and per name that an op refers to.

// entry (C1): one type per tensor
// expected-error @below {{expected one type per tensor and at most that many results}}
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [] results 1 {
}

// -----

// entry (C1): results are tensors
// expected-error @below {{expected one type per tensor and at most that many results}}
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 2 {
}

// -----

// entry (C2): dims
// expected-error @below {{expected distinct dim names, got 'M' twice}}
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>, #nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
}

// -----

// entry (C2): tensors
// expected-error @below {{expected distinct tensor names, got 'A' twice}}
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>, #nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>, tensor<64xf32>] results 1 {
}

// -----

// entry (C3)
// expected-error @below {{expected a declared dim, got 'N'}}
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["N"]]>] types [tensor<64xf32>] results 1 {
}

// -----

// dim
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  // expected-error @below {{expected a dim of the entry, got 'N'}}
  %n = nautilus_host.dim "N"
}

// -----

// address
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  // expected-error @below {{expected a tensor of the entry, got 'B'}}
  %b = nautilus_host.address "B"
}

// -----

// address: outside of an entry
// expected-error @below {{expected to stand in a nautilus_host.entry}}
%b = nautilus_host.address "B"

// -----

// stride: tensor
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  // expected-error @below {{expected a tensor of the entry, got 'B'}}
  %s = nautilus_host.stride "B"[0]
}

// -----

// stride: index
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  // expected-error @below {{expected a dim inside the tensor's rank, got 1}}
  %s = nautilus_host.stride "A"[1]
}

// -----

// make_tensor_map (C1): strides
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  %a = nautilus_host.address "A"
  %m = nautilus_host.dim "M"
  // expected-error @below {{expected rank 1 to 5, one stride per outer dim and box extents of 1 to 256}}
  %t = nautilus_host.make_tensor_map %a of f16 dims(%m, %m) strides() box [64, 64] swizzle 128
}

// -----

// make_tensor_map (C1): box
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  %a = nautilus_host.address "A"
  %m = nautilus_host.dim "M"
  // expected-error @below {{expected rank 1 to 5, one stride per outer dim and box extents of 1 to 256}}
  %t = nautilus_host.make_tensor_map %a of f16 dims(%m) strides() box [257] swizzle 0
}

// -----

// make_tensor_map (C2): swizzle
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  %a = nautilus_host.address "A"
  %m = nautilus_host.dim "M"
  // expected-error @below {{expected swizzle 0, 32, 64 or 128 that spans the inner box of 32 bytes}}
  %t = nautilus_host.make_tensor_map %a of f16 dims(%m) strides() box [16] swizzle 48
}

// -----

// make_tensor_map (C2): inner box
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  %a = nautilus_host.address "A"
  %m = nautilus_host.dim "M"
  // expected-error @below {{expected swizzle 0, 32, 64 or 128 that spans the inner box of 256 bytes}}
  %t = nautilus_host.make_tensor_map %a of f16 dims(%m) strides() box [128] swizzle 128
}

// -----

// view (C1): neither form
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  // expected-error @below {{expected a tensor name or an address with extents}}
  %v = "nautilus_host.view"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<?xf32, strided<[?], offset: ?>>
}

// -----

// view (C1): extents
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  %a = nautilus_host.address "A"
  %m = nautilus_host.dim "M"
  // expected-error @below {{expected one extent per dim}}
  %v = nautilus_host.view %a extents(%m, %m) : memref<?xf32, strided<[?], offset: ?>>
}

// -----

// view: tensor
nautilus_host.entry @f dims [#nautilus_scalar.dim<"M", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["M"]]>] types [tensor<64xf32>] results 1 {
  // expected-error @below {{expected a tensor of the entry, got 'B'}}
  %v = nautilus_host.view "B" : memref<?xf32, strided<[?], offset: ?>>
}
