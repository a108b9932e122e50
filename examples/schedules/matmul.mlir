// C = A B as one kernel: 128 x 256 tiles of C, 64 of the contraction at a time, converted to f16 where they are made. Blocks take one tile after another,
// neighbours together, and have three slots for the tiles of A and B.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @matmul_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "C"["i"] by 128 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "C"["i"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "C"["j"] by 256 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "C"["j"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "C"["k"] by 64 : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "C.cast" into "C"["j"] : !transform.any_op
    transform.nautilus_scalar.configure %kernel "C" <stages = 4, persistent, order = grouped> : !transform.any_op
    transform.yield
  }
}
