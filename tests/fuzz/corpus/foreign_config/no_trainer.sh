accelerate launch --config_file acc.yaml --num_processes $((8*4)) run_clm_no_trainer.py --per_device_train_batch_size=2 --gradient_accumulation_steps 4 --train_batch_size 1
