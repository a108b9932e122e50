// RUN: nautilus-opt %s --split-input-file --verify-diagnostics
//
// Attributes and types: one case per constraint.

// A layout that covers its tile, also where the extent is no power of two.
func.func private @good(tensor<3x5xf32, #nautilus_matile.layout<reg = [[0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [0, 0]], warp = []>>,
                        tensor<f32, #nautilus_matile.layout<rank = 0, reg = [], lane = [], warp = []>>,
                        !nautilus_matile.buffer<8x16xf16, swizzle 32>, !nautilus_matile.buffer<4xi8>, !nautilus_matile.channel<3 x <8x64xbf16, swizzle 128>>)

// -----

// layout (C1)
// expected-error @below {{expected a layout of rank 2, got 1}}
func.func private @k(tensor<3x5xf32, #nautilus_matile.layout<reg = [[1]], lane = [], warp = []>>)

// -----

// layout (C1): within one layout
// expected-error @below {{expected every basis to have 1 coordinates, got 2}}
func.func private @k(tensor<4xf32, #nautilus_matile.layout<reg = [[1], [0, 2]], lane = [], warp = []>>)

// -----

// layout (C2)
// expected-error @below {{expected a layout that covers the tile: element 4 in row-major order is in no register}}
func.func private @k(tensor<8xf32, #nautilus_matile.layout<reg = [[1]], lane = [[2]], warp = []>>)

// -----

// buffer: elements
// expected-error @below {{expected a tile of whole-byte elements}}
func.func private @k(!nautilus_matile.buffer<8x16xi1>)

// -----

// buffer: swizzle
// expected-error @below {{expected swizzle 0, 32, 64 or 128, got 48}}
func.func private @k(!nautilus_matile.buffer<8x16xf16, swizzle 48>)

// -----

// buffer: rank
// expected-error @below {{expected a swizzled buffer to have rank 2}}
func.func private @k(!nautilus_matile.buffer<2x8x16xf16, swizzle 32>)

// -----

// channel: slots
// expected-error @below {{expected at least one slot, got 0}}
func.func private @k(!nautilus_matile.channel<0 x <8x16xf16>>)
