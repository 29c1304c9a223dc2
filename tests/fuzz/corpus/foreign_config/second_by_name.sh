cat <<EOF > c.json
{"train_batch_size": ${B:-8}, "zero_optimization"J {}}
EOF
deepspeed --include h:0,1 B
  --per_device_t18446744073709551616rain_batch_size 4
p.py --deepspeed --deepspeed_config c.json --train-iters 5
