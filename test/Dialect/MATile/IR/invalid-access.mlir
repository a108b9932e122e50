// RUN: nautilus-opt %s --split-input-file --verify-diagnostics
//
// Memory, channels and roles: one case per numbered constraint.

// origin (C1)
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected one positive tile per axis}}
  %o = nautilus_matile.origin [0] of [16] : index
  nautilus_matile.return
}

// -----

// origin (C2)
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected 1 extent operands, got 0}}
  %o = nautilus_matile.origin [4] of [-9223372036854775808] : index
  nautilus_matile.return
}

// -----

// origin (C3)
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected one result per axis}}
  %o:2 = nautilus_matile.origin [4] of [16] : index, index
  nautilus_matile.return
}

// -----

// load (C1)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected 2 indices, got 1}}
  %l = nautilus_matile.load %x[%c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// load (C2)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected walk to name 2 distinct dims of the memref}}
  %l = nautilus_matile.load %x[%c0, %c0] walk [1, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// load (C3)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected one bound per tile dim}}
  %l = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-9223372036854775808, -9223372036854775808](%n) : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// load (C4)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected element type 'f32', got 'f16'}}
  %l = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x8xf16, #acc>
  nautilus_matile.return
}

// -----

// load (C4): padding
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected padding of type 'f32'}}
  %l = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-1, -1] padding 0.0 : f16 : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// load (C5)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected groups of 4 registers that follow each other along the last dim}}
  %l = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-1, -1] {vector = 4 : i64} : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}

// -----

// store (C2)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected walk to name 2 distinct dims of the memref}}
  nautilus_matile.store %zero, %x[%c0, %c0] walk [0, 2] bounds [-1, -1] : tensor<64x8xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  nautilus_matile.return
}

// -----

// store (C5)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // expected-error @below {{expected groups of 3 registers that follow each other along the last dim}}
  nautilus_matile.store %zero, %x[%c0, %c0] walk [0, 1] bounds [-1, -1] {vector = 3 : i64} : tensor<64x8xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  nautilus_matile.return
}

// -----

// stage (C1)
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected 2 indices, got 1}}
  %s = nautilus_matile.stage %x[%c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> <64x8xf32>
  nautilus_matile.return
}

// -----

// stage (C4)
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected element type 'f32', got 'f16'}}
  %s = nautilus_matile.stage %x[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> <64x8xf16>
  nautilus_matile.return
}

// -----

// stage (C5)
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected the walk of a mapped copy to increase up to the last dim}}
  %s = nautilus_matile.stage %x[%c0, %c0] walk [1, 0] bounds [-1, -1] map %map : memref<?x?xf32, strided<[?, 1], offset: ?>> -> <64x8xf32, swizzle 32>
  nautilus_matile.return
}

// -----

// put (C3)
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %ch = nautilus_matile.create_channel : <2 x <64x8xf32, swizzle 32>>
  // expected-error @below {{expected one bound per tile dim}}
  nautilus_matile.put %ch at %c0 from %x[%c0, %c0] walk [0, 1] bounds [-1] map %map : <2 x <64x8xf32, swizzle 32>>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  nautilus_matile.return
}

// -----

// put (C5)
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %ch = nautilus_matile.create_channel : <2 x <64x8xf32, swizzle 32>>
  // expected-error @below {{expected the walk of a mapped copy to increase up to the last dim}}
  nautilus_matile.put %ch at %c0 from %x[%c0, %c0] walk [1, 0] bounds [-1, -1] map %map : <2 x <64x8xf32, swizzle 32>>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  nautilus_matile.return
}

// -----

// get
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %ch = nautilus_matile.create_channel : <2 x <64x8xf32, swizzle 32>>
  // expected-error @below {{expected the channel's buffer type}}
  %g = nautilus_matile.get %ch at %c0 : <2 x <64x8xf32, swizzle 32>> -> <64x8xf32, swizzle 64>
  nautilus_matile.return
}

// -----

// warp_specialize (C1)
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %ch = nautilus_matile.create_channel : <2 x <64x8xf32, swizzle 32>>
  // expected-error @below {{expected puts in the producer and gets and releases in the consumer only}}
  nautilus_matile.warp_specialize producer 56 {
    %p = arith.constant 1 : index
  } consumer 240 {
    nautilus_matile.put %ch at %c0 from %x[%c0, %c0] walk [0, 1] bounds [-1, -1] map %map : <2 x <64x8xf32, swizzle 32>>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

// -----

// warp_specialize (C2): steps of 8
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected register counts of 24 to 256 in steps of 8, got 20}}
  nautilus_matile.warp_specialize producer 20 {
    %p = arith.constant 1 : index
  } consumer 240 {
    %p = arith.constant 1 : index
  }
  nautilus_matile.return
}

// -----

// warp_specialize (C2): the register file
nautilus_matile.kernel @k() attributes {warps = 8 : i64} {
  // expected-error @below {{expected at most 65536 registers in a block, got 72704}}
  nautilus_matile.warp_specialize producer 56 {
    %p = arith.constant 1 : index
  } consumer 256 {
    %p = arith.constant 1 : index
  }
  nautilus_matile.return
}

// -----

// write (C1)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %b = nautilus_matile.alloc : <64x16xf32>
  // expected-error @below {{expected one shape and element type}}
  nautilus_matile.write %zero, %b : tensor<64x8xf32, #acc>, <64x16xf32>
  nautilus_matile.return
}

// -----

// read (C1)
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %b = nautilus_matile.alloc : <64x8xf16>
  // expected-error @below {{expected one shape and element type}}
  %r = nautilus_matile.read %b : <64x8xf16> -> tensor<64x8xf32, #acc>
  nautilus_matile.return
}
