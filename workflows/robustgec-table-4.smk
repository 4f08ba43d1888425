# RobustGEC's table 4: systems on originals and perturbed variants
include: "rules/common.smk"


ORDERS = ""


include: "rules/robustgec.smk"


EVALUATED = CASES
BART = model("bart", "facebook/bart-large", small="bart-en")
LLAMA = model("llama", "huggyllama/llama-7b", small="llama-en")
# What parses corrected sentences, as `gecbench parse` takes it; the authors took a parser of SuPar.
TREES = configured("trees", "spacy:en")
ELECTRA = model("electra", "google/electra-large-discriminator", small="roberta-en")
# An LLM behind an address, as --config chatgpt=chat:PROFILE.toml (docs/correct/llm.md); the paper
# asked gpt-3.5-turbo with the prompt robustgec at temperature 0.
CHATGPT = configured("chatgpt", "")
RESULTS = expand(
    "robustness/{system}.json",
    system=["bart", "syngec", "gector", "llama", *(["chatgpt"] if CHATGPT else [])],
)
SMALL_TRAINING = (
    "--set training.epochs=1 --set training.precision=no --set training.threads=1"
    " --set scoring.by=loss --set data.dev=train --set training.warmup_steps=1"
)


rule all:
    input:
        TABLE,


rule bart:
    input:
        train="data/clang8.jsonl",
        dev=BEA19_DEV,
        model=model_input(BART),
    output:
        directory("runs/bart/model"),
    log:
        "logs/bart.log",
    params:
        model=BART,
        options=by_form(small=SMALL_TRAINING),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe robustgec-bart --set model.place={params.model}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " --set training.seed=1 {params.options} -o runs/bart 2> {log}"


rule trees:
    input:
        train="data/clang8.jsonl",
        dev=BEA19_DEV,
    output:
        train="data/clang8.conllu",
        dev="data/bea19-dev.conllu",
    params:
        trees=TREES,
    shell:
        "gecbench parse {params.trees} {input.train} --project -o {output.train}\n"
        "gecbench parse {params.trees} {input.dev} --project -o {output.dev}"


rule parser:
    input:
        train="data/clang8.conllu",
        dev="data/bea19-dev.conllu",
        encoder=model_input(ELECTRA),
    output:
        directory("runs/parser/model"),
    log:
        "logs/parser.log",
    params:
        encoder=ELECTRA,
        options=by_form(
            small="--set training.epochs=1 --set training.precision=no --set training.threads=1"
            " --set data.dev=train --set training.warmup_steps=1"
        ),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe syngec-parser --set model.encoder={params.encoder}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " {params.options} -o runs/parser 2> {log}"


rule syngec:
    input:
        train="data/clang8.jsonl",
        dev=BEA19_DEV,
        bart="runs/bart/model",
        parser="runs/parser/model",
    output:
        directory("runs/syngec/model"),
    log:
        "logs/syngec.log",
    params:
        options=by_form(small=SMALL_TRAINING),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe syngec-en --set model.place={input.bart} --set model.parser={input.parser}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " --set training.seed=1 {params.options} -o runs/syngec 2> {log}"


rule llama:
    input:
        train="data/clang8.jsonl",
        dev=BEA19_DEV,
        model=model_input(LLAMA),
    output:
        directory("runs/llama/model"),
    log:
        "logs/llama.log",
    params:
        model=LLAMA,
        options=by_form(
            small=f"{SMALL_TRAINING} --set data.limit=16 --set model.precision=fp32"
        ),
    resources:
        gpu=GPUS,
    shell:
        "{TRAIN} --recipe robustgec-llama --set model.base={params.model}"
        " --set \"data.train=['{input.train}']\" --set data.dev={input.dev}"
        " --set training.seed=1 {params.options} -o runs/llama 2> {log}"


rule correct_by_llm:
    input:
        cases=EVALUATED,
    output:
        "systems/chatgpt.txt",
    params:
        profile=CHATGPT,
    shell:
        "gecbench correct {params.profile} {input.cases} -o {output}"


ruleorder: correct_by_llm > correct
