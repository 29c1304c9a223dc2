# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden rows for tst_trained_parts: what PEFT trains of encoders, encoder-decoders and classifiers, and what is left of one that is partly frozen.

    python tests/oracle/count_encoder_parts.py tests/data/parameter_counts.jsonl > tests/data/encoder_part_counts.jsonl

Rows as count_trained_parts.py makes them; no task_type is given. Made with peft 0.21, transformers 5.23 and torch 2.11 (CPU).
"""
import json,random,sys,warnings
warnings.filterwarnings('ignore')
import torch,transformers
from peft import LoraConfig,get_peft_model
random.seed(31)
rows=[json.loads(l) for l in open(sys.argv[1])]
fam=('T5','MT5','Bert','Roberta','XLMRoberta','DistilBert')
by={}
for r in rows:
    n=r['architecture']
    if n.startswith(fam) or n.endswith(('ForSequenceClassification','ForTokenClassification')) and n.startswith(('Llama','GPT2','Qwen2For','OPT')): by.setdefault(n,[]).append(r['config'])
def build(n,c):
    cls=getattr(transformers,n)
    with torch.device('meta'): return cls(cls.config_class(**{k:v for k,v in c.items() if k!='model_type'}))
made={'adapter':0,'freeze':0}
names=sorted(by)
i=0
while made['adapter']<110 or made['freeze']<40:
    i+=1
    n=names[i%len(names)] if i<3*len(names) else random.choice(names)
    c=random.choice(by[n])
    try: m=build(n,c)
    except Exception as e: print(n,e,file=sys.stderr); continue
    mods=[(k,x) for k,x in m.named_modules() if isinstance(x,(torch.nn.Linear,torch.nn.Embedding)) or type(x).__name__=='Conv1D']
    if random.random()<0.73:
        rank=random.choice([1,2,8,16]); sec={'rank':rank}; pf={'r':rank}
        k=random.random()
        if k<0.35: sec['targets']=pf['target_modules']='all-linear'
        elif k<0.5: sec['targets']='default'
        else:
            leaves=sorted({a.split('.')[-1] for a,_ in mods})
            t=random.sample(leaves,random.randint(1,min(4,len(leaves))))
            if random.random()<0.4:
                a=random.choice(mods)[0].split('.'); t.append('.'.join(a[-random.randint(1,len(a)):]))
            sec['targets']=pf['target_modules']=t
        if random.random()<0.35:
            cand=[s for s in ('classifier','score','pooler','cls','lm_head','shared','word_embeddings','decoder','predictions','classification_head','qa_outputs','pre_classifier') if any(a==s or a.endswith('.'+s) for a,_ in m.named_modules())]
            if cand: sec['modulesToSave']=pf['modules_to_save']=[random.choice(cand)]
        if random.random()<0.3: sec['bias']=pf['bias']=random.choice(['all','lora_only'])
        if random.random()<0.15: sec['dora']=pf['use_dora']=True
        if random.random()<0.2 and isinstance(pf.get('target_modules'),list):
            sec['rankPattern']={random.choice(pf['target_modules']):random.choice([1,3,32])}; pf['rank_pattern']=dict(sec['rankPattern'])
        try:
            with torch.device('meta'): a=get_peft_model(m,LoraConfig(**pf),low_cpu_mem_usage=True)
        except Exception as e:
            print('refused',n,sec,str(e)[:150].replace('\n',' '),file=sys.stderr); continue
        m=a; key='adapter'
    else:
        sec={}; P=dict(m.named_parameters())
        if random.random()<0.5 and not n.startswith(('T5','MT5')):
            sec['embeddings']=True
            for x in m.modules():
                if isinstance(x,torch.nn.Embedding): x.weight.requires_grad_(False)
        if random.random()<0.7 or not sec:
            ks=list(P); nm=[]
            for _ in range(random.randint(1,3)):
                parts=random.choice(ks).split('.'); e=random.randint(1,len(parts)); s=random.randint(0,e-1); x='.'.join(parts[s:e])
                if not all(q.isdigit() for q in x.split('.')) and x.split('.')[-1] not in('weight','bias','model','transformer','bert','roberta','distilbert','layers','h','layer','block'): nm.append(x)
            if nm:
                sec['modules']=nm
                for k,x in m.named_modules():
                    if any(k==q or k.endswith('.'+q) for q in nm): x.requires_grad_(False)
                for k,x in P.items():
                    if any(k==q or k.endswith('.'+q) for q in nm): x.requires_grad_(False)
        if not sec: continue
        key='freeze'
    made[key]+=1
    mt=getattr(transformers,n).config_class.model_type
    print(json.dumps({"architecture":n,"model_type":mt,"config":c,key:sec,"trainable":sum(p.numel() for p in m.parameters() if p.requires_grad),"params":sum(p.numel() for p in m.parameters())}))
