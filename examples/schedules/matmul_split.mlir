// C = A B for few tiles of C and a long contraction: four blocks share the contraction of each tile, a second kernel adds their parts.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @matmul_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "C"["i"] by 128 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "C"["i"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "C"["j"] by 128 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "C"["j"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "C"["k"] by 64 : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "C.cast" into "C"["j"] : !transform.any_op
    transform.nautilus_scalar.split_reduce %kernel "C"["k"] into 4 : !transform.any_op
    transform.yield
  }
}
