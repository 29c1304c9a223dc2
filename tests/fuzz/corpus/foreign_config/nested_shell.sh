#!/bin/bash
#SBATCH --nodes=4
export GPUS_PER_NODE=8
NNODES=${SLURM_NNODES:-4}
WORLD_SIZE=$(($GPUS_PER_NODE*$NNODES))
LAUNCHER="torchrun --nnodes $NNODES --nproc_per_node $((GPUS_PER_NODE / 1)) --rdzv_endpoint $MASTER_ADDR:6000"
CMD="train.py --per_device_train_batch_size $((WORLD_SIZE % 5 + 2 ** 2)) --deepspeed ds.json"
srun --jobid $SLURM_JOBID bash -c "$LAUNCHER --node_rank \$SLURM_PROCID $CMD" 2>&1 | tee log
eval "$LAUNCHER" "$CMD"
ssh -p 22 node1 "cd /w && bash -lc 'deepspeed --num_gpus $((2*(3-1))) t.py --deepspeed_config ds.json'"
