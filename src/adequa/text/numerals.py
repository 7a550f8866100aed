"""Number words of other languages than English, and how they are put together.

Each function makes the table of one language: the kind of a word, its value, and whether it is an
ordinal. `adequa.text.values.numbers` reads them; its kinds say what may follow what.
"""

from __future__ import annotations

from collections.abc import Mapping

NumberWord = tuple[str, int, bool]
"""Kind, value and whether it is an ordinal."""


def _listed(kind: str, words: str, first: int, step: int = 1) -> dict[str, NumberWord]:
    """Number words in order; forms of one number are joined by a slash."""
    return {
        form: (kind, first + step * place, False)
        for place, forms in enumerate(words.split())
        for form in forms.split("/")
    }


def _ordinals(stems: str, endings: str) -> dict[str, NumberWord]:
    """Ordinals from the first on: each stem with each ending; a slash joins stems, `-` skips."""
    return {
        stem + ending: ("one" if number < 10 else "ten", number, True)
        for number, forms in enumerate(stems.split(), 1)
        for stem in forms.split("/")
        for ending in endings.split("|")
        if stem != "-"
    }


def _scales(words: Mapping[int, str]) -> dict[str, NumberWord]:
    return {
        form: ("scale", value, False) for value, forms in words.items() for form in forms.split()
    }


def _compounds(
    ones: Mapping[int, str], teens: str, tens: str, link: str, hundred: str
) -> dict[str, NumberWord]:
    """The numbers below 1000 as German and Dutch write them, the one before the ten."""
    below = {form: value for form, (_, value, _) in _listed("ten", teens, 10).items()}
    below |= {form: n for n, forms in ones.items() for form in forms.split()}
    for place, ten in enumerate(tens.split(), 2):
        below[ten] = 10 * place
        for one, forms in ones.items():
            for form in forms.split() if one else ():
                below[form + link + ten] = 10 * place + one
                if form.endswith("e"):  # Dutch: tweeëntwintig, drieëndertig
                    below[form + "ë" + link[1:] + ten] = 10 * place + one
    words = {form: ("whole", value, False) for form, value in below.items()}
    words[hundred] = ("whole", 100, False)
    starts = [(form, n) for n, forms in ones.items() if n for form in forms.split()]
    for start, hundreds in [("", 1), *starts]:
        words[start + hundred] = ("whole", 100 * hundreds, False)
        for form, value in below.items():
            for join in ("", "und", "en"):
                words[start + hundred + join + form] = ("whole", 100 * hundreds + value, False)
    return words


def italian_numbers() -> dict[str, NumberWord]:
    """The number words of Italian."""
    ones = ["uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"]
    below = {form: n for n, form in enumerate(ones, 1)}
    teens = (
        "dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove"
    )
    below |= {form: n for n, form in enumerate(teens.split(), 10)}
    tens = [
        "venti",
        "trenta",
        "quaranta",
        "cinquanta",
        "sessanta",
        "settanta",
        "ottanta",
        "novanta",
    ]
    for place, ten in enumerate(tens, 2):
        below[ten] = 10 * place
        for n, one in enumerate(ones, 1):
            stem = ten[:-1] if one[0] in "ou" else ten
            below[stem + one] = 10 * place + n
            if one == "tre":
                below[ten + "tré"] = 10 * place + n
        below[ten[:-1] + "un"] = 10 * place + 1
    words: dict[str, NumberWord] = {form: ("whole", n, False) for form, n in below.items()}
    for hundreds, start in enumerate(["", *ones[1:]], 1):
        words[start + "cento"] = ("whole", 100 * hundreds, False)
        for form, value in below.items():
            words[start + "cento" + form] = ("whole", 100 * hundreds + value, False)
    words |= {"un": ("article", 1, False), "una": ("article", 1, False)}
    words |= _scales({10**3: "mille mila", 10**6: "milione milioni", 10**9: "miliardo miliardi"})
    return words | _ordinals(
        "prim second terz quart quint sest settim ottav non decim undicesim dodicesim", "o|a|i|e"
    )


def german_numbers() -> dict[str, NumberWord]:
    """The number words of German."""
    ones = {0: "null", 1: "ein eins", 2: "zwei zwo", 3: "drei", 4: "vier", 5: "fünf", 6: "sechs",
            7: "sieben", 8: "acht", 9: "neun"}  # fmt: skip
    teens = "zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
    tens = "zwanzig dreißig/dreissig vierzig fünfzig sechzig siebzig achtzig neunzig"
    words = _compounds(ones, teens, tens.replace("/dreissig", ""), "und", "hundert")
    words |= dict.fromkeys(("ein", "eine", "einer", "einem", "einen"), ("article", 1, False))
    words |= _scales(
        {10**3: "tausend", 10**6: "million millionen", 10**9: "milliarde milliarden",
         10**12: "billion billionen"}
    )  # fmt: skip
    ordinals = (
        "erst zweit dritt viert fünft sechst siebt/siebent acht neunt zehnt elft zwölft dreizehnt "
        "vierzehnt fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst"
    )
    return words | _ordinals(ordinals, "e|en|er|es|em")


def dutch_numbers() -> dict[str, NumberWord]:
    """The number words of Dutch."""
    ones = {0: "nul", 1: "een één", 2: "twee", 3: "drie", 4: "vier", 5: "vijf", 6: "zes",
            7: "zeven", 8: "acht", 9: "negen"}  # fmt: skip
    teens = "tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien"
    tens = "twintig dertig veertig vijftig zestig zeventig tachtig negentig"
    words = _compounds(ones, teens, tens, "en", "honderd")
    words |= {"een": ("article", 1, False)}
    words |= _scales({10**3: "duizend", 10**6: "miljoen", 10**9: "miljard", 10**12: "biljoen"})
    ordinals = (
        "eerst tweed derd vierd vijfd zesd zevend achtst negend tiend elfd twaalfd dertiend "
        "veertiend vijftiend zestiend zeventiend achttiend negentiend twintigst"
    )
    return words | _ordinals(ordinals, "e|en")


def french_numbers() -> dict[str, NumberWord]:
    """The number words of French."""
    words = _listed("one", "zéro - deux trois quatre cinq six sept huit neuf", 0)
    words |= _listed(
        "ten", "dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf", 10
    )
    words |= _listed("tens", "vingt trente quarante cinquante", 20, 10)
    words |= {"soixante": ("score", 60, False), "septante": ("tens", 70, False)}
    words |= dict.fromkeys(("quatre-vingt", "quatre-vingts"), ("score", 80, False))
    words |= {"nonante": ("tens", 90, False), "huitante": ("tens", 80, False)}
    words |= dict.fromkeys(("un", "une"), ("article", 1, False))
    words |= _scales({100: "cent cents", 10**3: "mille", 10**6: "million millions",
                      10**9: "milliard milliards"})  # fmt: skip
    ordinals = (
        "premier/première deuxième/second/seconde troisième quatrième cinquième sixième septième "
        "huitième neuvième dixième onzième douzième"
    )
    return words | _ordinals(ordinals, "|s")


def spanish_numbers() -> dict[str, NumberWord]:
    """The number words of Spanish."""
    words = _listed("one", "cero uno dos tres cuatro cinco seis siete ocho nueve", 0)
    words |= _listed(
        "ten",
        "diez once doce trece catorce quince dieciséis/dieciseis diecisiete dieciocho diecinueve",
        10,
    )
    words |= _listed(
        "tens", "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", 20, 10
    )
    words |= _listed(
        "whole",
        "veintiuno/veintiún/veintiuna veintidós/veintidos veintitrés/veintitres veinticuatro "
        "veinticinco veintiséis/veintiseis veintisiete veintiocho veintinueve",
        21,
    )
    hundreds = (
        "ciento/cien doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas "
        "quinientos/quinientas seiscientos/seiscientas setecientos/setecientas "
        "ochocientos/ochocientas novecientos/novecientas"
    )
    words |= _listed("hundreds", hundreds, 100, 100)
    words |= dict.fromkeys(("un", "una"), ("article", 1, False))
    words |= _scales({10**3: "mil", 10**6: "millón millones"})
    stems = "primer segund tercer cuart quint sext séptim octav noven décim undécim duodécim"
    return words | _ordinals(stems, "o|a|os|as") | _ordinals("primer - tercer", "")


def portuguese_numbers() -> dict[str, NumberWord]:
    """The number words of Portuguese."""
    words = _listed("one", "zero - dois/duas três quatro cinco seis sete oito nove", 0)
    words |= _listed(
        "ten",
        "dez onze doze treze catorze/quatorze quinze dezasseis/dezesseis dezassete/dezessete "
        "dezoito dezanove/dezenove",
        10,
    )
    words |= _listed(
        "tens", "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", 20, 10
    )
    hundreds = (
        "cento/cem duzentos/duzentas trezentos/trezentas quatrocentos/quatrocentas "
        "quinhentos/quinhentas seiscentos/seiscentas setecentos/setecentas oitocentos/oitocentas "
        "novecentos/novecentas"
    )
    words |= _listed("hundreds", hundreds, 100, 100)
    words |= dict.fromkeys(("um", "uma"), ("article", 1, False))
    words |= _scales({10**3: "mil", 10**6: "milhão milhões", 10**9: "bilhão bilhões"})
    stems = "primeir segund terceir quart quint sext sétim oitav non décim"
    return words | _ordinals(stems, "o|a|os|as")


def czech_numbers() -> dict[str, NumberWord]:
    """The number words of Czech."""
    ones = (
        "nula jeden/jedna/jedno/jednoho/jedné/jednom/jedním dva/dvě/dvou/dvěma "
        "tři/tří/třem/třemi/třech "
        "čtyři/čtyř/čtyřem/čtyřmi/čtyřech pět/pěti šest/šesti sedm/sedmi osm/osmi "
        "devět/devíti"
    )
    words = _listed("one", ones, 0)
    teens = (
        "deset/deseti jedenáct/jedenácti dvanáct/dvanácti třináct/třinácti čtrnáct/čtrnácti "
        "patnáct/patnácti šestnáct/šestnácti sedmnáct/sedmnácti osmnáct/osmnácti "
        "devatenáct/devatenácti"
    )
    words |= _listed("ten", teens, 10)
    tens = "dvacet třicet čtyřicet padesát šedesát sedmdesát osmdesát devadesát"
    words |= _listed("tens", " ".join(f"{ten}/{ten}i" for ten in tens.split()), 20, 10)
    before = ["jedna", "dva", "tři", "čtyři", "pět", "šest", "sedm", "osm", "devět"]
    for place, ten in enumerate(tens.split(), 2):  # pětadvacet
        for one, form in enumerate(before, 1):
            stem = form[:-1] if form in ("jedna",) else form
            words[f"{stem}a{ten}"] = ("whole", 10 * place + one, False)
    words |= _scales(
        {100: "sto sta stě set stem stech", 10**3: "tisíc tisíce tisíci tisících",
         10**6: "milion milionu miliony milionů milión miliónu milióny miliónů",
         10**9: "miliarda miliardy miliardu miliard"}
    )  # fmt: skip
    stems = "prv druh tř čtvrt pát šest sedm osm devát desát jedenáct dvanáct"
    return words | _ordinals(stems, "ý|á|é|ého|ému|ém|ou|ní|ního|ním|etí|etího|etím")


def russian_numbers() -> dict[str, NumberWord]:
    """The number words of Russian."""
    ones = (
        "ноль один/одна/одно/одну/одного/одной/одном/одним два/две/двух/двум/двумя "
        "три/трёх/трех/трём/трем/тремя четыре/четырёх/четырех/четырём/четырьмя пять/пяти/пятью "
        "шесть/шести/шестью семь/семи/семью восемь/восьми/восемью девять/девяти/девятью"
    )
    words = _listed("one", ones, 0)
    teens = (
        "десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать "
        "семнадцать восемнадцать девятнадцать"
    )
    soft = " ".join(f"{word}/{word[:-1]}и/{word}ю" for word in teens.split())
    words |= _listed("ten", soft, 10)
    tens = (
        "двадцать/двадцати/двадцатью тридцать/тридцати/тридцатью сорок/сорока "
        "пятьдесят/пятидесяти шестьдесят/шестидесяти семьдесят/семидесяти "
        "восемьдесят/восьмидесяти девяносто/девяноста"
    )
    words |= _listed("tens", tens, 20, 10)
    hundreds = (
        "сто/ста двести/двухсот триста/трёхсот/трехсот четыреста/четырёхсот/четырехсот "
        "пятьсот/пятисот шестьсот/шестисот семьсот/семисот восемьсот/восьмисот девятьсот/девятисот"
    )
    words |= _listed("hundreds", hundreds, 100, 100)
    words |= _scales(
        {10**3: "тысяча тысячи тысяч тысячу тысячей тысячам",
         10**6: "миллион миллиона миллионов миллионе миллионом",
         10**9: "миллиард миллиарда миллиардов миллиардом"}
    )  # fmt: skip
    stems = "перв втор треть/трет четвёрт/четверт пят шест седьм восьм девят десят"
    return words | _ordinals(stems, "ый|ой|ий|ая|ое|ого|его|ому|ом|ем|ую|ей|ья|ье|ью|ые|ых|ым")
