# RobustGEC's perturbed cases (Zhang et al., EMNLP 2023), and what systems do with them.
# The workflow says EVALUATED, the cases that systems correct, and ORDERS, options of the analysis.
CASES = data(
    "cases",
    "data/robustgec",
    "RobustGEC's benchmark, a folder of subsets with para.txt:"
    " git clone https://github.com/HillZhang1999/RobustGEC and take its folder benchmark",
    small="small/cases",
)
DIVIDED = expand("data/divided/{part}.jsonl", part=["train", "dev", "test"])


rule small_cases:
    input:
        SAMPLES / "en/perturbed.txt",
    output:
        directory("small/cases"),
    shell:
        "mkdir -p {output}/conll14 && cp {input} {output}/conll14/para.txt"


rule divide:
    input:
        CASES,
    output:
        DIVIDED,
    params:
        test=parameter("test", TEST_CASES, small=3),
        dev=parameter("dev", DEV_CASES, small=1),
    shell:
        "gecbench data divide {input} --test {params.test} --dev {params.dev} --seed 1"
        " -o data/divided"


rule robustness:
    input:
        cases=lambda wildcards: EVALUATED,
        system="systems/{system}.txt",
    output:
        "robustness/{system}.json",
    params:
        orders=ORDERS,
    shell:
        "gecbench analyse robustness {input.cases} one={input.system} {params.orders}"
        " -o {output}"
