# MuCGEC's models (Zhang et al., NAACL 2022): trained, combined, and scored on one set of sentences.
# The workflow says which set: SENTENCES to correct, REFERENCES, and SCORE, the options of scoring.
LANG8 = data(
    "lang8",
    "data/lang8.tsv",
    "Lang8's Chinese pairs as NLPCC 2018 gave them out, in any format or as source TAB target:"
    " ask for it as https://github.com/HillZhang1999/MuCGEC describes",
    small=SAMPLES / "zh/corpus.jsonl",
)
HSK = data(
    "hsk",
    "data/hsk.tsv",
    "the HSK pairs that MuCGEC's authors give out, in any format or as source TAB target:"
    " see https://github.com/HillZhang1999/MuCGEC",
    small=SAMPLES / "zh/corpus.jsonl",
)
FILTER = data(
    "filter",
    "data/filter_sentences.txt",
    "MuCGEC's filter_sentences.txt, the sentences of its evaluation sets:"
    " gecbench data get mucgec prints the folder that it lies in",
    small=SAMPLES / "zh/fluent.txt",
)
DEV = data(
    "dev",
    "data/MuCGEC_dev.txt",
    "MuCGEC's dev set, to stop by: gecbench data get mucgec prints the folder that it lies in",
    small=SAMPLES / "zh/corpus.jsonl",
)
STRUCTBERT = data(
    "structbert",
    "models/structbert-large-zh",
    "Chinese StructBERT-large with weights in safetensors:"
    " gecbench model convert junnyu/structbert-large-zh -o models/structbert-large-zh",
    small="small/models/bert-zh",
)
BART = data(
    "bart",
    "models/bart-large-chinese",
    "Chinese BART-large with weights in safetensors:"
    " gecbench model convert fnlp/bart-large-chinese -o models/bart-large-chinese",
    small="small/models/bart-zh",
)
# Other encoders of table 5; pickled weights: gecbench model convert NAME -o FOLDER
ENCODERS = {
    "bert": model("bert", "google-bert/bert-base-chinese", small="bert-zh"),
    "roberta": model("roberta", "hfl/chinese-roberta-wwm-ext-large", small="bert-zh"),
    "macbert": model("macbert", "hfl/chinese-macbert-large", small="bert-zh"),
}
SEEDS = parameter("seeds", [1, 2, 3], small=[1])
SCHEME = parameter("scheme", "zh-cherrant", small="zh-char")
SPELLING = parameter("spelling", "similar", small="sound")
TOOLS.append(f"--metric cherrant --scheme {SCHEME}")


wildcard_constraints:
    seed=r"\d+",
    data="lang8|lang8-hsk",
    variant="lang8|lang8-hsk|bert|roberta|macbert",


def systems(data):
    """Return the names of all systems trained on some data, single and combined."""
    single = [f"{kind}-{data}-{seed}" for kind in ("seq2edit", "seq2seq", "two") for seed in SEEDS]
    return [*single, f"six-{data}"]


rule prepare_lang8:
    input:
        lang8=LANG8,
        filter=FILTER,
    output:
        "data/lang8.jsonl",
    shell:
        "gecbench data prepare --corpus lang8={input.lang8} --filter {input.filter} -o {output}"


rule prepare_lang8_hsk:
    input:
        lang8=LANG8,
        hsk=HSK,
        filter=FILTER,
    output:
        "data/lang8-hsk.jsonl",
    shell:
        "gecbench data prepare mucgec --corpus lang8={input.lang8} --corpus hsk={input.hsk}"
        " --filter {input.filter} -o {output}"


rule seq2edit:
    input:
        train=lambda w: f"data/{w.variant if w.variant == 'lang8' else 'lang8-hsk'}.jsonl",
        dev=DEV,
        encoder=lambda w: model_input(ENCODERS[w.variant]) if w.variant in ENCODERS else STRUCTBERT,
    output:
        directory("runs/seq2edit-{variant}-{seed}/model"),
    log:
        "logs/seq2edit-{variant}-{seed}.log",
    params:
        encoder=lambda w: ENCODERS.get(w.variant, STRUCTBERT),
        options=by_form(
            small="--set training.epochs=1 --set training.cold_epochs=0 --set scoring.by=loss"
            " --set training.precision=no --set training.threads=1 --set data.dev=train"
        ),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe mucgec-seq2edit --set \"data.train=['{input.train}']\""
        " --set data.dev={input.dev} --set model.encoder={params.encoder}"
        " --set training.seed={wildcards.seed} {params.options}"
        " -o runs/seq2edit-{wildcards.variant}-{wildcards.seed} 2> {log}"


rule seq2seq:
    input:
        train="data/{data}.jsonl",
        dev=DEV,
        model=BART,
    output:
        directory("runs/seq2seq-{data}-{seed}/model"),
    log:
        "logs/seq2seq-{data}-{seed}.log",
    params:
        options=by_form(
            small="--set training.epochs=1 --set training.precision=no --set training.threads=1"
            " --set data.dev=train"
        ),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe mucgec-seq2seq --set \"data.train=['{input.train}']\""
        " --set data.dev={input.dev} --set model.place={input.model}"
        " --set training.seed={wildcards.seed} {params.options}"
        " -o runs/seq2seq-{wildcards.data}-{wildcards.seed} 2> {log}"


rule correct_seq2edit:
    input:
        model="runs/seq2edit-{variant}-{seed}/model",
        sentences=SENTENCES,
    output:
        f"{SET}/seq2edit-{{variant}}-{{seed}}.txt",
    resources:
        gpu=GPUS,
    shell:
        "gecbench correct {input.model} {input.sentences} --to lines -o {output}"


rule correct_seq2seq:
    input:
        model="runs/seq2seq-{data}-{seed}/model",
        sentences=SENTENCES,
    output:
        f"{SET}/seq2seq-{{data}}-{{seed}}.txt",
    resources:
        gpu=GPUS,
    shell:
        "gecbench correct {input.model} {input.sentences} --split --to lines -o {output}"


rule combine_two:
    input:
        sentences=SENTENCES,
        a=f"{SET}/seq2edit-{{data}}-{{seed}}.txt",
        b=f"{SET}/seq2seq-{{data}}-{{seed}}.txt",
    output:
        f"{SET}/two-{{data}}-{{seed}}.txt",
    params:
        scheme=SCHEME,
        spelling=SPELLING,
    shell:
        "gecbench combine {input.sentences} a={input.a} b={input.b} --scheme {params.scheme}"
        " --spelling {params.spelling} --relaxed code --veto -o {output}"


rule combine_six:
    input:
        sentences=SENTENCES,
        a=expand(f"{SET}/seq2edit-{{{{data}}}}-{{seed}}.txt", seed=SEEDS),
        b=expand(f"{SET}/seq2seq-{{{{data}}}}-{{seed}}.txt", seed=SEEDS),
    output:
        f"{SET}/six-{{data}}.txt",
    params:
        systems=lambda w, input: [
            f"{kind}-{seed}={path}"
            for kind, paths in (("a", input.a), ("b", input.b))
            for seed, path in zip(SEEDS, paths)
        ],
        scheme=SCHEME,
        spelling=SPELLING,
    shell:
        "gecbench combine {input.sentences} {params.systems} --scheme {params.scheme}"
        " --spelling {params.spelling} --relaxed code --veto -o {output}"


rule score:
    input:
        references=REFERENCES,
        system=f"{SET}/{{system}}.txt",
    output:
        f"scores/{SET}-{{system}}.json",
    params:
        options=SCORE,
    shell:
        "gecbench score {input.references} one={input.system} {params.options} -o {output}"
