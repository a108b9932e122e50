// Reductions over a tile axis: what lies outside the domain is the identity, through the load's padding
// where that is enough, else through a mask.
//
// RUN: nautilus-opt %s --convert-nautilus-scalar-to-vrtile | FileCheck %s
// DEFINE: %{run} = nautilus-run %s --level=vrtile --pipeline="builtin.module(convert-nautilus-scalar-to-vrtile)"
// RUN: %{run} --entry=max --dims M=37,N=50 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=max --dims M=1,N=1 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=max --dims M=3,N=0 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=sumexp --dims M=37,N=50 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=squares --dims M=37,N=50 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=argmax --dims M=5,N=50 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=total --dims M=5,N=3 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=total --dims M=0,N=0 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=count --dims M=5,N=19 | FileCheck %s --check-prefix=SAME
// SAME: PASS

// The identity is the load's padding.
// CHECK-LABEL: nautilus_vrtile.kernel @max_0(
// CHECK:         %[[x:.*]] = nautilus_vrtile.load %{{.*}} walk [0, 1] bounds [%{{.*}}, %{{.*}}] padding 0xFC00 : f16 : {{.*}} -> tensor<8x16xf16>
// CHECK-NEXT:    %[[e:.*]] = arith.extf %[[x]]
// CHECK-NEXT:    %[[r:.*]] = nautilus_vrtile.reduce %[[e]] along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
// CHECK:           arith.maximumf
// CHECK:         %[[m:.*]] = arith.maximumf %{{.*}}, %[[r]] : tensor<8xf32>
// CHECK-NEXT:    scf.yield %[[m]]
nautilus_scalar.kernel @max dims [M, N] (%X = X[M, N] : tensor<?x?xf16>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 8] -> tensor<?xf32> {
    %none = nautilus_scalar.fill 0xFF800000 : f32 : tensor<8xf32>
    %r = nautilus_scalar.for %j0 = [j: N tile 16] iter (%c = %none : tensor<8xf32>) {
      %next = nautilus_scalar.reduce "Y" [i: M tile 8 at %i0] over [j: N tile 16 at %j0] (%x = %X[i, j] : tensor<?x?xf16>) init(%c : tensor<8xf32>) -> tensor<8xf32> {
        %0 = arith.extf %x : f16 to f32
        nautilus_scalar.yield %0 : f32
      } combine identity [0xFF800000 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.maximumf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<8xf32>
    }
    nautilus_scalar.assemble %r [i: M] : tensor<8xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// exp(0) is not zero, so the elements are masked.
// CHECK-LABEL: nautilus_vrtile.kernel @sumexp_0(
// CHECK:         %[[e:.*]] = math.exp %{{.*}} : tensor<8x16xf32>
// CHECK:         %[[in:.*]] = nautilus_vrtile.broadcast %{{.*}} to [1] : tensor<16xi1> -> tensor<8x16xi1>
// CHECK:         %[[zero:.*]] = arith.constant dense<0.000000e+00> : tensor<8x16xf32>
// CHECK:         %[[kept:.*]] = arith.select %[[in]], %[[e]], %[[zero]]
// CHECK:         nautilus_vrtile.reduce %[[kept]] along 1
nautilus_scalar.kernel @sumexp dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 8] -> tensor<?xf32> {
    %none = nautilus_scalar.fill 0.0 : f32 : tensor<8xf32>
    %r = nautilus_scalar.for %j0 = [j: N tile 16] iter (%c = %none : tensor<8xf32>) {
      %next = nautilus_scalar.reduce "Y" [i: M tile 8 at %i0] over [j: N tile 16 at %j0] (%x = %X[i, j] : tensor<?x?xf32>) init(%c : tensor<8xf32>) -> tensor<8xf32> {
        %0 = math.exp %x : f32
        nautilus_scalar.yield %0 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<8xf32>
    }
    nautilus_scalar.assemble %r [i: M] : tensor<8xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// Zero times zero is neutral for a sum; a product of a tile with itself is not a dot.
// CHECK-LABEL: nautilus_vrtile.kernel @squares_0(
// CHECK-NOT:     arith.select
// CHECK-NOT:     nautilus_vrtile.dot
// CHECK:         %[[s:.*]] = arith.mulf %[[x:.*]], %[[x]] : tensor<8x16xf32>
// CHECK-NEXT:    nautilus_vrtile.reduce %[[s]] along 1
nautilus_scalar.kernel @squares dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 8] -> tensor<?xf32> {
    %none = nautilus_scalar.fill 0.0 : f32 : tensor<8xf32>
    %r = nautilus_scalar.for %j0 = [j: N tile 16] iter (%c = %none : tensor<8xf32>) {
      %next = nautilus_scalar.reduce "Y" [i: M tile 8 at %i0] over [j: N tile 16 at %j0] (%x = %X[i, j] : tensor<?x?xf32>) init(%c : tensor<8xf32>) -> tensor<8xf32> {
        %0 = arith.mulf %x, %x : f32
        nautilus_scalar.yield %0 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<8xf32>
    }
    nautilus_scalar.assemble %r [i: M] : tensor<8xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// A combiner of our own on pairs: each of the two is masked with its identity; the combiner runs on
// elements in the reduction, on tiles where the carried pair is merged.
// CHECK-LABEL: nautilus_vrtile.kernel @argmax_0(
// CHECK:         %[[v:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x16xi1>, tensor<8x16xf32>
// CHECK:         %[[i:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<16xi1>, tensor<16xi32>
// CHECK:         %[[I:.*]] = nautilus_vrtile.broadcast %[[i]] to [1]
// CHECK:         %[[r:.*]]:2 = nautilus_vrtile.reduce %[[v]], %[[I]] along 1 identity [0xFF800000 : f32, 2147483647 : i32] : tensor<8x16xf32>, tensor<8x16xi32> -> tensor<8xf32>, tensor<8xi32> {
// CHECK:         arith.cmpf ogt, %{{.*}}, %[[r]]#0 : tensor<8xf32>
nautilus_scalar.kernel @argmax dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>, I[M] : tensor<?xi32>) {
  %Y, %I = nautilus_scalar.grid (%i0) = [i: M tile 8] -> (tensor<?xf32>, tensor<?xi32>) {
    %v0 = nautilus_scalar.fill 0xFF800000 : f32 : tensor<8xf32>
    %n0 = nautilus_scalar.fill 2147483647 : i32 : tensor<8xi32>
    %v, %n = nautilus_scalar.for %j0 = [j: N tile 16] iter (%cv = %v0 : tensor<8xf32>, %cn = %n0 : tensor<8xi32>) {
      %a, %b = nautilus_scalar.reduce "Y" [i: M tile 8 at %i0] over [j: N tile 16 at %j0] (%x = %X[i, j] : tensor<?x?xf32>) init(%cv, %cn : tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
        %j = nautilus_scalar.index "j"
        %0 = arith.index_cast %j : index to i32
        nautilus_scalar.yield %x, %0 : f32, i32
      } combine identity [0xFF800000 : f32, 2147483647 : i32] {
      ^bb0(%lv: f32, %ln: i32, %rv: f32, %rn: i32):
        %greater = arith.cmpf ogt, %lv, %rv : f32
        %equal = arith.cmpf oeq, %lv, %rv : f32
        %first = arith.cmpi slt, %ln, %rn : i32
        %tie = arith.andi %equal, %first : i1
        %left = arith.ori %greater, %tie : i1
        %0 = arith.select %left, %lv, %rv : f32
        %1 = arith.select %left, %ln, %rn : i32
        nautilus_scalar.yield %0, %1 : f32, i32
      }
      nautilus_scalar.yield %a, %b : tensor<8xf32>, tensor<8xi32>
    }
    nautilus_scalar.assemble %v [i: M], %n [i: M] : tensor<8xf32>, tensor<8xi32>
  }
  nautilus_scalar.return %Y, %I : tensor<?xf32>, tensor<?xi32>
}

// Everything in one block: a grid without axes, two reduction axes, no carried value, a tile of rank 0.
// CHECK-LABEL: nautilus_vrtile.kernel @total_0(
// CHECK:         nautilus_vrtile.origin []
// CHECK:         nautilus_vrtile.reduce %{{.*}} along 1 identity [0.000000e+00 : f32] : tensor<8x4xf32> -> tensor<8xf32> {
// CHECK:         nautilus_vrtile.reduce %{{.*}} along 0 identity [0.000000e+00 : f32] : tensor<8xf32> -> tensor<f32> {
// CHECK:         nautilus_vrtile.store %{{.*}}, %{{.*}}[] walk [] : tensor<f32>, memref<f32, strided<[], offset: ?>>
nautilus_scalar.kernel @total dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[] : tensor<f32>) {
  %Y = nautilus_scalar.grid () = [] -> tensor<f32> {
    %r = nautilus_scalar.reduce "Y" [] over [i: M tile 8, j: N tile 4] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<f32> {
      nautilus_scalar.yield %x : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %r [] : tensor<f32>
  }
  nautilus_scalar.return %Y : tensor<f32>
}

// Elements that do not depend on the reduced axis are repeated along it.
// CHECK-LABEL: nautilus_vrtile.kernel @count_0(
// CHECK:         %[[one:.*]] = arith.constant dense<1> : tensor<16xi32>
// CHECK:         %[[kept:.*]] = arith.select %{{.*}}, %[[one]], %{{.*}} : tensor<16xi1>, tensor<16xi32>
// CHECK:         %[[n:.*]] = nautilus_vrtile.reduce %[[kept]] along 0 identity [0 : i32] : tensor<16xi32> -> tensor<i32> {
// CHECK:         nautilus_vrtile.broadcast %{{.*}} to [] : tensor<i32> -> tensor<8xi32>
nautilus_scalar.kernel @count dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xi32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 8] -> tensor<?xi32> {
    %zero = nautilus_scalar.fill 0 : i32 : tensor<8xi32>
    %r = nautilus_scalar.for %j0 = [j: N tile 16] iter (%c = %zero : tensor<8xi32>) {
      %n = nautilus_scalar.reduce "Y" [i: M tile 8 at %i0] over [j: N tile 16 at %j0] () init(%c : tensor<8xi32>) -> tensor<8xi32> {
        %one = arith.constant 1 : i32
        nautilus_scalar.yield %one : i32
      } combine identity [0 : i32] {
      ^bb0(%l: i32, %r: i32):
        %0 = arith.addi %l, %r : i32
        nautilus_scalar.yield %0 : i32
      }
      nautilus_scalar.yield %n : tensor<8xi32>
    }
    nautilus_scalar.assemble %r [i: M] : tensor<8xi32>
  }
  nautilus_scalar.return %Y : tensor<?xi32>
}
