// RUN: nautilus-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: dynamic = #nautilus_scalar.dim<"N", -9223372036854775808>
// CHECK-SAME: hinted = #nautilus_scalar.dim<"N", -9223372036854775808, 4096>
// CHECK-SAME: launch = #nautilus_scalar.launch<warps = 8, stages = 2, persistent, order = longest_first>
// CHECK-SAME: plain = #nautilus_scalar.launch<>
// CHECK-SAME: static = #nautilus_scalar.dim<"M", 128>
// CHECK-SAME: tiled = #nautilus_scalar.axis<"j", "N", 64>
// CHECK-SAME: typed = #nautilus_scalar.tensor<"Q", {{\[}}["B"], ["G", "R"]]>
// CHECK-SAME: whole = #nautilus_scalar.axis<"i", "M">
nautilus_scalar.kernel @k dims [] () -> () attributes {
  dynamic = #nautilus_scalar.dim<"N", -9223372036854775808>,
  hinted = #nautilus_scalar.dim<"N", -9223372036854775808, 4096>,
  launch = #nautilus_scalar.launch<persistent, order = longest_first, stages = 2, warps = 8>,
  plain = #nautilus_scalar.launch<order = natural, warps = 0>,
  static = #nautilus_scalar.dim<"M", 128>,
  tiled = #nautilus_scalar.axis<"j", "N", 64>,
  typed = #nautilus_scalar.tensor<"Q", [["B"], ["G", "R"]]>,
  whole = #nautilus_scalar.axis<"i", "M">} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected a dim name, got an empty string}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.dim<"", 3>} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected size >= 0 of dim "M", got -3}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.dim<"M", -3>} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected hint >= 0 of dim "M", got -1}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.dim<"M", 4, -1>} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected tile >= 0 of axis "i", got -8}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.axis<"i", "M", -8>} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected an identifier that is no affine keyword as axis name, got "mod"}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.axis<"mod", "M">} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected an identifier that is no affine keyword as axis name, got "a b"}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.axis<"a b", "M">} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected one or more dim names per dim of tensor "T", got []}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.tensor<"T", [[]]>} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected 0 to 16 warps, got 17}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.launch<warps = 17>} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected 0 to 16 stages, got -1}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.launch<stages = -1>} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected warps, stages, persistent or order, got threads}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.launch<threads = 128>} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected natural, longest_first or grouped as order, got reverse}}
nautilus_scalar.kernel @k dims [] () -> () attributes {a = #nautilus_scalar.launch<order = reverse>} {
  nautilus_scalar.return
}

// -----

// expected-error @below {{expected 'nautilus_scalar.launch' to be a #nautilus_scalar.launch, got 8 : i64}}
nautilus_scalar.kernel @k dims [] () -> () attributes {nautilus_scalar.launch = 8 : i64} {
  nautilus_scalar.return
}
