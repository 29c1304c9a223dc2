for ((i=0;i<2;i++)); do let GAS=GAS*2; done
while [[ $# -gt 0 ]]; do case $1 in --gas) GAS=$2; shift 2;; *) break;; esac; done
read -r -d '' C <<E
t.py --deepspeed ds.$J.json \
 --learning_rate ${LR:=1e-5}
E
cat <<X | tee ds.$J.json | cat
{"train_batch_size": $((GAS+1)), "gradient_clipping": $CLIP}
X
for h in a b; do ssh $h bash -s <<'S'
(cd x && { torchrun --nproc_per_node 2 $C; }) || : ${A:?}
S
done; bash <<< "torchrun --nproc_per_node 2 $C"
