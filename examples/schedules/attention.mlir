// One pass over the keys: scores, maximum, sum and output share one loop, whose running values are repaired as the maximum moves.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @attention_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "S.0"["b"] by 1 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "S.0"["b"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "S.0"["h"] by 1 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "S.0"["h"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "S.0"["i"] by 128 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "S.0"["i"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "S.0"["j"] by 128 : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "S" into "S.0"["j"] : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "P.max" into "S.0"["j"] : !transform.any_op
    transform.nautilus_scalar.roll %kernel "P.sum" into "P.max"["j"] : !transform.any_op
    transform.nautilus_scalar.roll %kernel "O" into "P.max"["j"] : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "O.cast" into "S.0"["i"] : !transform.any_op
    transform.yield
  }
}
