GAS=${GAS:-4}; [ -z "$LR" ] && LR=1e-5 || LR=2e-5
if [[ $M == *7b && -n $1 ]]; then A=(--x); elif test -f x; then A+=(--deepspeed zero3.json); else exit 1; fi
case ${2:-a} in a|b*) B=1 ;; (*) B=2 ;; esac
f() { local s=$1; shift; deepspeed --num_gpus $s t.py "$@" "${A[@]}" --gradient_accumulation_steps $GAS; return; }
f $((B*2)) --deepspeed ds.json --bf16
