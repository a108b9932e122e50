// For few query positions and many keys (decoding): the heads of a group share a pass over their keys and values, of which each of P
// blocks takes a part; a second kernel merges the parts.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @attention_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "S.0"["b"] by 1 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "S.0"["b"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "S.0"["h.G"] by 1 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "S.0"["h.G"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "S.0"["h.R"] by 16 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "S.0"["h.R"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "S.0"["i"] by 1 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "S.0"["i"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "S.0"["j"] by 128 : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "S" into "S.0"["j"] : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "X" into "S.0"["j"] : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "P.max" into "S.0"["j"] : !transform.any_op
    transform.nautilus_scalar.roll %kernel "P.sum" into "P.max"["j"] : !transform.any_op
    transform.nautilus_scalar.roll %kernel "O" into "P.max"["j"] : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "P.shift" into "S.0"["i"] : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "LSE" into "S.0"["i"] : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "O.cast" into "S.0"["i"] : !transform.any_op
    %p = transform.tune.knob<"P"> = 8 from options = [2, 4, 8, 16, 32] -> !transform.any_param
    transform.nautilus_scalar.split_reduce %kernel "P.max"["j"] into %p : !transform.any_op, !transform.any_param
    transform.yield
  }
}
