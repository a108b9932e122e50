// RUN: nautilus-opt %s --split-input-file --verify-diagnostics
//
// Kernels and ops on fragments: one case per numbered constraint.

// kernel (C1)
// expected-error @below {{expected memref, index and tensor map arguments, got 'f32'}}
nautilus_matile.kernel @k(%x: f32) attributes {warps = 4 : i64} {
  nautilus_matile.return
}

// -----

// kernel (C2)
// expected-error @below {{expected 1 to 16 warps, got 17}}
nautilus_matile.kernel @k() attributes {warps = 17 : i64} {
  nautilus_matile.return
}

// -----

// kernel (C3): with four warps the layout covers 64 rows, with two 32
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 2 : i64} {
  // expected-error @below {{expected a layout that covers the tile with 2 warps: element 256 in row-major order is in no register}}
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// kernel (C3): a tile without a layout
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  // expected-error @below {{expected a fragment with a layout, got 'tensor<4xf32>'}}
  %z = arith.constant dense<0.0> : tensor<4xf32>
  nautilus_matile.return
}

// -----

// dot (C1)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = arith.constant dense<0.0> : tensor<64x16xf16, #a>
  %b = nautilus_matile.alloc : <32x8xf16, swizzle 32>
  // expected-error @below {{expected extents that agree}}
  %d = nautilus_matile.dot <wgmma> %l, %b, %zero : tensor<64x16xf16, #a>, !nautilus_matile.buffer<32x8xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// dot (C2): a buffer without swizzle
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = arith.constant dense<0.0> : tensor<64x16xf16, #a>
  %b = nautilus_matile.alloc : <16x8xf16>
  // expected-error @below {{expected the right operand in a swizzled buffer for wgmma}}
  %d = nautilus_matile.dot <wgmma> %l, %b, %zero : tensor<64x16xf16, #a>, !nautilus_matile.buffer<16x8xf16> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// dot (C2): the left operand in another layout
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = arith.constant dense<0.0> : tensor<64x16xf16, #nautilus_matile.layout<reg = [[8, 0], [0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>>
  %b = nautilus_matile.alloc : <16x8xf16, swizzle 32>
  // expected-error @below {{expected the left operand in the instruction's layout for wgmma}}
  %d = nautilus_matile.dot <wgmma> %l, %b, %zero : tensor<64x16xf16, #nautilus_matile.layout<reg = [[8, 0], [0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>>, !nautilus_matile.buffer<16x8xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// dot (C2): the accumulator in another layout
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %l = arith.constant dense<0.0> : tensor<64x16xf16, #a>
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #nautilus_matile.layout<reg = [[8, 0], [0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>>
  %b = nautilus_matile.alloc : <16x8xf16, swizzle 32>
  // expected-error @below {{expected the accumulator in the instruction's layout for mma_sync}}
  %d = nautilus_matile.dot <mma_sync> %l, %b, %zero : tensor<64x16xf16, #a>, !nautilus_matile.buffer<16x8xf16, swizzle 32> -> tensor<64x8xf32, #nautilus_matile.layout<reg = [[8, 0], [0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>>
  nautilus_matile.return
}

// -----

// dot (C2): fma reads shared memory
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = arith.constant dense<0.0> : tensor<64x16xf16, #a>
  %b = nautilus_matile.alloc : <16x8xf16, swizzle 32>
  // expected-error @below {{expected buffer operands for fma}}
  %d = nautilus_matile.dot <fma> %l, %b, %zero : tensor<64x16xf16, #a>, !nautilus_matile.buffer<16x8xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// dot (C2): a fragment is not transposed
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = arith.constant dense<0.0> : tensor<16x64xf16, #nautilus_matile.layout<reg = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]]>>
  %b = nautilus_matile.alloc : <16x8xf16, swizzle 32>
  // expected-error @below {{expected a fragment as left operand not to be transposed}}
  %d = nautilus_matile.dot <wgmma> %l transpose, %b, %zero : tensor<16x64xf16, #nautilus_matile.layout<reg = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]]>>, !nautilus_matile.buffer<16x8xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// dot (C3): types
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = nautilus_matile.alloc : <64x16xf32, swizzle 64>
  %b = nautilus_matile.alloc : <16x8xf32, swizzle 32>
  // expected-error @below {{expected 16-bit float operands of one type and an f32 accumulator for wgmma}}
  %d = nautilus_matile.dot <wgmma> %l, %b, %zero : !nautilus_matile.buffer<64x16xf32, swizzle 64>, !nautilus_matile.buffer<16x8xf32, swizzle 32> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// dot (C3): warpgroups
nautilus_matile.kernel @k() attributes {warps = 2 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #nautilus_matile.layout<reg = [[0, 1], [8, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]>>
  %l = nautilus_matile.alloc : <64x16xf16, swizzle 32>
  %b = nautilus_matile.alloc : <16x8xf16, swizzle 32>
  // expected-error @below {{expected whole warpgroups of 4 warps for wgmma}}
  %d = nautilus_matile.dot <wgmma> %l, %b, %zero : !nautilus_matile.buffer<64x16xf16, swizzle 32>, !nautilus_matile.buffer<16x8xf16, swizzle 32> -> tensor<64x8xf32, #nautilus_matile.layout<reg = [[0, 1], [8, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]>>
  nautilus_matile.return
}

// -----

// dot (C3): the contraction
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = nautilus_matile.alloc : <64x24xf16, swizzle 32>
  %b = nautilus_matile.alloc : <24x8xf16, swizzle 32>
  // expected-error @below {{expected 16 rows per warp, columns in 8s up to 256 and a contraction in 16s for wgmma}}
  %d = nautilus_matile.dot <wgmma> %l, %b, %zero : !nautilus_matile.buffer<64x24xf16, swizzle 32>, !nautilus_matile.buffer<24x8xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// start_dot (C2)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = arith.constant dense<0.0> : tensor<64x16xf16, #a>
  %b = nautilus_matile.alloc : <16x8xf16>
  // expected-error @below {{expected the right operand in a swizzled buffer for wgmma}}
  %d = nautilus_matile.start_dot %l, %b, %zero : tensor<64x16xf16, #a>, !nautilus_matile.buffer<16x8xf16> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// start_dot (C4)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = arith.constant dense<0.0> : tensor<64x16xf16, #a>
  %b = nautilus_matile.alloc : <16x8xf16, swizzle 32>
  // expected-error @below {{expected the product to be waited for before arith.addf uses it}}
  %d = nautilus_matile.start_dot %l, %b, %zero : tensor<64x16xf16, #a>, !nautilus_matile.buffer<16x8xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  %e = arith.addf %d, %d : tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// wait_groups (C1)
nautilus_matile.kernel @wait_groups_c1() attributes {warps = 4 : i64} {
  // expected-error @below {{expected 0 to 7 pending groups, got 8}}
  nautilus_matile.wait_groups pending 8
  nautilus_matile.return
}

// -----

// wait_dot (C1)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %l = arith.constant dense<0.0> : tensor<64x16xf16, #a>
  %b = nautilus_matile.alloc : <16x8xf16, swizzle 32>
  %d = nautilus_matile.start_dot %l, %b, %zero : tensor<64x16xf16, #a>, !nautilus_matile.buffer<16x8xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  // expected-error @below {{expected 0 to 7 pending groups, got -1}}
  %e = nautilus_matile.wait_dot %d pending -1 : tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// convert_layout (C1)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected one shape and element type}}
  %d = nautilus_matile.convert_layout %zero : tensor<64x8xf32, #acc> -> tensor<64x16xf32, #a>
  nautilus_matile.return
}

// -----

// reduce: dim
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected dim inside rank 2}}
  %s = nautilus_matile.reduce %zero along 2 identity [0.0 : f32] : tensor<64x8xf32, #acc> -> tensor<64xf32, #row> {
  ^bb0(%x: f32, %y: f32):
    nautilus_matile.yield %x : f32
  }
  nautilus_matile.return
}

// -----

// reduce: a dim below 0
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected dim inside rank 2}}
  %s = nautilus_matile.reduce %zero along -1 identity [0.0 : f32] : tensor<64x8xf32, #acc> -> tensor<64xf32, #row> {
  ^bb0(%x: f32, %y: f32):
    nautilus_matile.yield %x : f32
  }
  nautilus_matile.return
}

// -----

// reduce (C1)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected the result's layout to be the input's without dim 1}}
  %s = nautilus_matile.reduce %zero along 1 identity [0.0 : f32] : tensor<64x8xf32, #acc> -> tensor<64xf32, #nautilus_matile.layout<reg = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>> {
  ^bb0(%x: f32, %y: f32):
    nautilus_matile.yield %x : f32
  }
  nautilus_matile.return
}

// -----

// reduce (C2): combiner
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected a combiner over two element tuples that yields one}}
  %s = nautilus_matile.reduce %zero along 1 identity [0.0 : f32] : tensor<64x8xf32, #acc> -> tensor<64xf32, #row> {
  ^bb0(%x: f32):
    nautilus_matile.yield %x : f32
  }
  nautilus_matile.return
}

// -----

// reduce (C2): identities
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected one identity per input, of its element type}}
  %s = nautilus_matile.reduce %zero along 1 identity [0.0 : f64] : tensor<64x8xf32, #acc> -> tensor<64xf32, #row> {
  ^bb0(%x: f32, %y: f32):
    nautilus_matile.yield %x : f32
  }
  nautilus_matile.return
}

// -----

// broadcast (C1)
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %r = arith.constant dense<0.0> : tensor<64xf32, #row>
  // expected-error @below {{expected the operand's layout to be the result's without the new dims}}
  %w = nautilus_matile.broadcast %r to [0] : tensor<64xf32, #row> -> tensor<64x2xf32, #nautilus_matile.layout<reg = [[0, 1], [32, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>>
  nautilus_matile.return
}

// -----

// broadcast (C2)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %r = arith.constant dense<0.0> : tensor<64xf32, #row>
  // expected-error @below {{expected increasing dims inside rank 2, one per operand dim}}
  %w = nautilus_matile.broadcast %r to [2] : tensor<64xf32, #row> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// broadcast (C3)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %r = arith.constant dense<0.0> : tensor<64xf32, #row>
  // expected-error @below {{expected equal element types}}
  %w = nautilus_matile.broadcast %r to [0] : tensor<64xf32, #row> -> tensor<64x8xf16, #acc>
  nautilus_matile.return
}

// -----

// transpose (C1): the layout does not turn along
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected the operand's dims and layout, permuted}}
  %t = nautilus_matile.transpose %zero [1, 0] : tensor<64x8xf32, #acc> -> tensor<8x64xf32, #nautilus_matile.layout<reg = [[1, 0], [2, 0], [4, 0], [0, 32]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>>
  nautilus_matile.return
}

// -----

// transpose (C1): no permutation
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected the operand's dims and layout, permuted}}
  %t = nautilus_matile.transpose %zero [0, 0] : tensor<64x8xf32, #acc> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// iota (C1)
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected integer elements and a dim inside rank 1}}
  %i = nautilus_matile.iota %c0 along 1 : tensor<64xindex, #row>
  nautilus_matile.return
}

// -----

// splat (C1)
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
nautilus_matile.kernel @k() attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a fragment of 'index', got 'tensor<64xi32, }}
  %i = nautilus_matile.splat %c0 : index -> tensor<64xi32, #row>
  nautilus_matile.return
}
