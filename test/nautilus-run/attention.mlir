// Attention with grouped heads and a causal mask, against itself in each mode; some rows see
// no key in the second run.
//
// RUN: nautilus-run %s --dims B=1,G=2,R=2,M=150,N=151 | FileCheck %s
// RUN: nautilus-run %s --dims B=2,G=1,R=3,M=5,N=3 --mode=typed --seed=4 | FileCheck %s
// CHECK: O: max_abs
// CHECK: LSE: max_abs
// CHECK: PASS

nautilus_scalar.kernel @attention dims [B, G, R, M, N, D = 64]
    (%Q = Q[B, G*R, M, D] : tensor<?x?x?x?x64xf16>, %K = K[B, G, N, D] : tensor<?x?x?x64xf16>, %V = V[B, G, N, D] : tensor<?x?x?x64xf16>)
    -> (O[B, G*R, M, D] : tensor<?x?x?x?x64xf16>, LSE[B, G*R, M] : tensor<?x?x?x?xf32>) {
  %S = nautilus_scalar.reduce "S" [b: B, g: G, r: R, i: M, j: N] over [d: D]
      (%q = %Q[b, g, r, i, d] : tensor<?x?x?x?x64xf16>, %k = %K[b, g, j, d] : tensor<?x?x?x64xf16>) -> tensor<?x?x?x?x?xf32> {
    %0 = arith.extf %q : f16 to f32
    %1 = arith.extf %k : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    nautilus_scalar.yield %2 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  // The mask is aligned bottom right, so that rows without a visible key exist when M > N.
  %X = nautilus_scalar.map "X" [b: B, g: G, r: R, i: M, j: N] (%s = %S[b, g, r, i, j] : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> {
    %scale = arith.constant 0.125 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %i = nautilus_scalar.index "i"
    %j = nautilus_scalar.index "j"
    %M = nautilus_scalar.dim "M"
    %N = nautilus_scalar.dim "N"
    %0 = arith.subi %N, %M : index
    %1 = arith.addi %i, %0 : index
    %2 = arith.cmpi sle, %j, %1 : index
    %3 = arith.mulf %s, %scale : f32
    %4 = arith.select %2, %3, %ninf : f32
    nautilus_scalar.yield %4 : f32
  }
  %m = nautilus_scalar.reduce "m" [b: B, g: G, r: R, i: M] over [j: N] (%x = %X[b, g, r, i, j] : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0xFF800000 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.maximumf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %E = nautilus_scalar.map "E" [b: B, g: G, r: R, i: M, j: N] (%x = %X[b, g, r, i, j] : tensor<?x?x?x?x?xf32>, %mx = %m[b, g, r, i] : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> {
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %0 = arith.cmpf oeq, %mx, %ninf : f32
    %1 = arith.select %0, %zero, %mx : f32
    %2 = arith.subf %x, %1 : f32
    %3 = math.exp %2 : f32
    nautilus_scalar.yield %3 : f32
  }
  %l = nautilus_scalar.reduce "l" [b: B, g: G, r: R, i: M] over [j: N] (%x = %E[b, g, r, i, j] : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %P = nautilus_scalar.map "P" [b: B, g: G, r: R, i: M, j: N] (%x = %E[b, g, r, i, j] : tensor<?x?x?x?x?xf32>, %d = %l[b, g, r, i] : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?x?xf16> {
    %zero = arith.constant 0.0 : f32
    %0 = arith.cmpf oeq, %d, %zero : f32
    %1 = arith.divf %x, %d : f32
    %2 = arith.select %0, %zero, %1 : f32
    %3 = arith.truncf %2 : f32 to f16
    nautilus_scalar.yield %3 : f16
  }
  %O = nautilus_scalar.reduce "O" [b: B, g: G, r: R, i: M, d: D] over [j: N]
      (%p = %P[b, g, r, i, j] : tensor<?x?x?x?x?xf16>, %v = %V[b, g, j, d] : tensor<?x?x?x64xf16>) -> tensor<?x?x?x?x64xf32> {
    %0 = arith.extf %p : f16 to f32
    %1 = arith.extf %v : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    nautilus_scalar.yield %2 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%a: f32, %c: f32):
    %0 = arith.addf %a, %c : f32
    nautilus_scalar.yield %0 : f32
  }
  %H = nautilus_scalar.map "H" [b: B, g: G, r: R, i: M, d: D] (%o = %O[b, g, r, i, d] : tensor<?x?x?x?x64xf32>) -> tensor<?x?x?x?x64xf16> {
    %0 = arith.truncf %o : f32 to f16
    nautilus_scalar.yield %0 : f16
  }
  %LSE = nautilus_scalar.map "LSE" [b: B, g: G, r: R, i: M] (%mx = %m[b, g, r, i] : tensor<?x?x?x?xf32>, %d = %l[b, g, r, i] : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
    %0 = math.log %d : f32
    %1 = arith.addf %mx, %0 : f32
    nautilus_scalar.yield %1 : f32
  }
  nautilus_scalar.return %H, %LSE : tensor<?x?x?x?x64xf16>, tensor<?x?x?x?xf32>
}
