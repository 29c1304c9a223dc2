#!/bin/bash
deepspeed --num_gpus 2 train.py --deepspeed --deepspeed_config c.json
other.py --deepspeed d.json
cat <<EOF > c.json
{"train_batch_size": 8}
EOF
