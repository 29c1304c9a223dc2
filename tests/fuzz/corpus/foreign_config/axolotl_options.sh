axolotl train ax.yaml --micro-batch-size 5 --no-flash-attention --bf16=auto --launcher torchrun -- --nproc_per_node=$N --nnodes 2
