CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train lf.yaml learning_rate=1e-5 gradient_accumulation_steps=16 deepspeed=null a.b=[1,2]
