// RUN: not nautilus-opt %s --nautilus-matile-order-items=arch=sm_1 2>&1 | FileCheck %s

// CHECK: error: expected one of sm_80, {{.*}}, got sm_1
nautilus_matile.kernel @single() attributes {warps = 4 : i64} {
  nautilus_matile.return
}
