# MuCGEC's table 7: F0.5 by type of error
include: "rules/mucgec-test.smk"


RESULTS = [
    f"scores/test-{system}.json"
    for system in systems("lang8-hsk")
    if not system.startswith("two")
]


rule all:
    input:
        TABLE,
