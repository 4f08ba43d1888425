"""Codes of languages, and those of two letters for the same language as one of three.

The table is from the aliases of languages in Unicode CLDR: codes of ISO 639-2 (both of those
languages that have two, as ger and deu), and of ISO 639-3 for the language that a code of two
letters usually means, as cmn for zh. Codes of languages that have none of two letters, as yue, are
not listed.
"""

from __future__ import annotations

import re

_PAIRS = """
aar-aa abk-ab adp-dz afr-af aka-ak alb-sq als-sq amh-am ara-ar arb-ar arg-an arm-hy asm-as
ava-av ave-ae aym-ay ayr-ay aze-az azj-az bak-ba bam-bm baq-eu bel-be ben-bn bis-bi bod-bo
bos-bs bre-br bul-bg bur-my cat-ca ces-cs cha-ch che-ce chi-zh chu-cu chv-cv cls-sa cmn-zh
cor-kw cos-co cre-cr cwd-cr cym-cy cze-cs dan-da deu-de div-dv drh-mn dut-nl dzo-dz ekk-et
ell-el eng-en epo-eo esk-ik est-et eus-eu ewe-ee fao-fo fas-fa fat-ak fij-fj fin-fi fra-fr
fre-fr fry-fy fuc-ff ful-ff gaz-om geo-ka ger-de gla-gd gle-ga glg-gl glv-gv gre-el grn-gn
gug-gn guj-gu hat-ht hau-ha heb-he her-hz hin-hi hmo-ho hrv-hr hun-hu hye-hy ibo-ig ice-is
ido-io iii-ii ike-iu iku-iu ile-ie ina-ia ind-id ipk-ik isl-is ita-it jav-jv jpn-ja kal-kl
kan-kn kas-ks kat-ka kau-kr kaz-kk khk-mn khm-km kik-ki kin-rw kir-ky kmr-ku knc-kr kng-kg
kom-kv kon-kg kor-ko kpv-kv kua-kj kur-ku lao-lo lat-la lav-lv lim-li lin-ln lit-lt ltz-lb
lub-lu lug-lg lvs-lv mac-mk mah-mh mal-ml mao-mi mar-mr may-ms mkd-mk mlg-mg mlt-mt mol-ro
mon-mn mri-mi msa-ms mya-my nau-na nav-nv nbl-nr nde-nd ndo-ng nep-ne nld-nl nno-nn nob-nb
nor-no npi-ne nya-ny oci-oc ojg-oj oji-oj ori-or orm-om ory-or oss-os pan-pa pbu-ps per-fa
pes-fa pli-pi plt-mg pol-pl por-pt prp-gu pus-ps que-qu quz-qu roh-rm ron-ro rum-ro run-rn
rus-ru sag-sg san-sa scc-sr scr-hr sin-si slk-sk slo-sk slv-sl sme-se smo-sm sna-sn snd-sd
som-so sot-st spa-es sqi-sq src-sc srd-sc srp-sr ssw-ss sun-su swa-sw swe-sv swh-sw tah-ty
tam-ta tat-tt tel-te tgk-tg tgl-tl tha-th tib-bo tir-ti ton-to tsn-tn tso-ts tuk-tk tur-tr
twi-tw uig-ug ukr-uk urd-ur uzb-uz uzn-uz ven-ve vie-vi vol-vo wel-cy wln-wa wol-wo xho-xh
ydd-yi yid-yi yor-yo zha-za zho-zh zsm-ms zul-zu zyb-za
"""

_TWO_LETTERS = dict(pair.split("-") for pair in _PAIRS.split())
"""Code of ISO 639-2 or 639-3 to that of ISO 639-1."""


def normalise_code(code: str) -> str | None:
    """The code of a language as it is compared and written; None if it is no code.

    Args:
        code: Of ISO 639, two or three letters in any case. One of three becomes that of two for
            the same language, if there is one; what stands behind a hyphen stays.

    >>> normalise_code("deu"), normalise_code("ZH-Hans"), normalise_code("zh-")
    ('de', 'zh-Hans', 'zh')
    """
    match = re.fullmatch(r"([A-Za-z]{2,3})(?:-([A-Za-z0-9-]*))?", code)
    if match is None:
        return None
    letters = match[1].lower()
    letters = _TWO_LETTERS.get(letters, letters)
    return f"{letters}-{match[2]}" if match[2] else letters
