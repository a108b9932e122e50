#!/bin/bash
# Usage: check-examples.sh FOLDER. Imports each .naut file of FOLDER and compares the kernel with the
# float64 reference at the extents below (each dynamic dim of the kernel needs one).
set -eu -o pipefail
declare -A dims=(
  [argmax]="M=3,N=37"
  [attention]="B=2,H=3,M=5,N=7"
  [attention_alibi]="B=1,H=3,M=5,N=7"
  [attention_bias_mask]="B=2,H=3,M=5,N=7"
  [attention_causal_gqa]="B=2,G=2,R=3,M=5,N=7"
  [attention_mla]="B=2,H=3,M=2,N=7"
  [attention_sink]="B=1,H=3,M=7,N=5"
  [attention_softcap]="B=1,G=2,R=2,M=5,N=7"
  [attention_window]="B=1,H=2,M=5,N=7"
  [convolution]="C=3,L=12,F=2,M=5"
  [cross_entropy]="M=4,N=37,K=5"
  [entropy]="M=3,N=37"
  [gelu_matmul]="M=5,N=7,K=11"
  [layernorm]="M=3,N=37"
  [logsumexp]="M=3,N=37"
  [matmul]="M=5,N=7,K=11"
  [matmul_batched]="B=2,M=5,N=7,K=11"
  [matmul_fp8]="M=5,N=7,K=11"
  [reductions]="A=3,B=5,C=7"
  [mlp]="M=5,N=37"
  [rmsnorm]="M=3,N=37"
  [rmsnorm_matmul]="M=5,N=7,K=11"
  [rope]="B=1,H=2,M=3"
  [softmax]="M=3,N=37"
  [variance]="M=3,N=37"
  [swiglu]="M=3,N=5,K=7"
  [transpose]="A=3,B=5,C=7"
)
for file in "$1"/*.naut; do
  name=$(basename "$file" .naut)
  echo "$name"
  nautilus-translate --import-spec "$file" | nautilus-run - --dims "${dims[$name]}"
done
