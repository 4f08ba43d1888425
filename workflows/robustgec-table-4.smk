# RobustGEC's table 4: systems on originals and perturbed variants
include: "rules/common.smk"


ORDERS = ""


include: "rules/robustgec.smk"
include: "rules/syngec-en.smk"


EVALUATED = CASES
LLAMA = model("llama", "huggyllama/llama-7b", small="llama-en")
# An LLM behind an address, as --config chatgpt=chat:PROFILE.toml (docs/correct/llm.md); the paper
# asked gpt-3.5-turbo with the prompt robustgec at temperature 0.
CHATGPT = configured("chatgpt", "")
RESULTS = expand(
    "robustness/{system}.json",
    system=["bart", "syngec", "gector", "llama", *(["chatgpt"] if CHATGPT else [])],
)


rule all:
    input:
        TABLE,


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
