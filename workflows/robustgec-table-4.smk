# RobustGEC's table 4: systems on originals and perturbed variants
include: "rules/common.smk"


ORDERS = ""


include: "rules/robustgec.smk"


EVALUATED = CASES
BART = model("bart", "facebook/bart-large", small="bart-en")
LLAMA = model("llama", "huggyllama/llama-7b", small="llama-en")
# An LLM behind an address, as --config chatgpt=chat:PROFILE.toml (docs/correct/llm.md); the paper
# asked gpt-3.5-turbo with the prompt robustgec at temperature 0.
CHATGPT = configured("chatgpt", "")
RESULTS = expand(
    "robustness/{system}.json",
    system=["bart", "gector", "llama", *(["chatgpt"] if CHATGPT else [])],
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
