"""What imports, exports and releases say is in the way."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

MESSAGES = (
    _("the file has %(bytes)s bytes; at most %(most)s are read at once, divide it"),
    _("the file is empty; nothing can be imported from it"),
    _("the file has %(count)s lines; at most %(most)s are read at once, divide it"),
    _("the file is UTF-16; save it as UTF-8"),
    _("byte 0x%(byte)s is not %(encoding)s; save the file as UTF-8"),
    _(
        "byte 0x%(byte)s is not %(encoding)s; save the file as UTF-8, or choose the "
        "encoding gb18030 if it is GBK or GB18030"
    ),
    _(
        "the file has %(count)s lines, but %(file)s has %(expected)s; line k of each file "
        "belongs to sentence k"
    ),
    _("the line is blank, but files of references go with it; fill it"),
    _("the line is blank in %(file)s; fill it"),
    _(
        "this JSON is neither Label Studio's (tasks with 'data') nor YACLC's "
        "('sentence_text'); the first object has %(value)s"
    ),
    _("%(message)s; the rest of the file was not looked at"),
    _("not JSON: %(json)s"),
    _("an object was expected, not %(text)s"),
    _("the array has no end: the file was cut"),
    _("something follows the array: %(text)s"),
    _("the task's data has none of text, sentence, source, src, input; name the text so"),
    _("schema %(schema)s is not known, only 1"),
    _("%(key)s is %(text)s; a number or a text was expected"),
    _("its references contradict one another: %(decision)s and %(other_decision)s"),
    _(
        "its references contradict one another: %(decision)s and %(other_decision)s and "
        "%(third_decision)s"
    ),
    _("reference %(number)s is empty; fill it or take it out"),
    _("project %(slug)s is closed; bring it back before you import"),
    _("files of references go with a file of lines, not with format %(value)s"),
    _("the sentence is empty; fill it or take it out"),
    _("the id is empty, longer than 200 characters, or has odd ones"),
    _("the name of the source has more than 100 characters, or odd ones"),
    _("a fact about the sentence holds a NUL character; take it out"),
    _("a fact about the sentence holds half a character; it was damaged on its way"),
    _(
        "id %(id)s is that of another sentence of the project; number the sentences anew, "
        "or give another id"
    ),
    _("%(option)s is %(value)s; it is one of %(names)s"),
    _("%(option)s is %(value)s; it is a whole number from %(least)s to %(most)s"),
    _("the name of the source has more than 100 characters; shorten it"),
    _("the name of the source is %(text)s; it has odd characters"),
    _("%(message)s; %(total)s problems in all, nothing is imported"),
    _("%(count)s sentences have references; choose what becomes of them: %(names)s"),
    _(
        "%(count)s sentences are there already (%(inside)s in the file, %(there)s in the "
        "project); choose what becomes of them: %(names)s"
    ),
    _("there is no new sentence to import"),
    _("at most %(most)s files of references go with a file of sources"),
    _("has %(bytes)s bytes; at most %(most)s are read at once, divide it"),
    _("the name of a release is letters, digits, dots and hyphens, not %(name)s"),
    _("project %(slug)s has a release %(name)s already; name another"),
    _("project %(slug)s has no golden set yet; nothing to release"),
    _("project %(slug)s has no golden set yet; review some sentences first"),
    _("M2 needs a scheme of edits for language %(language)s, not %(name)s; there are: %(names)s"),
    _("a scheme of edits is for format m2, not for %(format)s"),
    _("format %(format)s names nobody; leave names out"),
    _("%(option)s is %(value)s; it is keep or leave_out"),
    _("format %(format)s has no choice about what is not annotatable"),
    _("there is no part %(name)s; this export has the parts %(names)s"),
    _("this export has several files; name a part: %(names)s"),
    _(
        "%(resource)s of the data set %(name)s is not here; run: gecbench data get "
        "%(data)s (or set GECBENCH_DATA_MIRROR to a folder that has %(resource_path)s)"
    ),
    _(
        "has %(bytes)s bytes, but the catalogue says %(expected)s; remove it and run: "
        "gecbench data get %(data)s"
    ),
    _(
        "its content is not what the catalogue promises (sha256 differs); run: gecbench "
        "data get %(data)s"
    ),
    _("not a Python module; install errant 3.0.2"),
    _("no such file; install errant 3.0.2"),
    _(
        "%(word)s is not installed; run: pip install 'gecbench[%(extra)s]' (in a checkout: "
        "pip install -e '.[%(extra)s]')"
    ),
    _(
        "%(thing)s is not installed; run: pip install 'gecbench[%(extra)s]' (in a "
        "checkout: pip install -e '.[%(extra)s]')"
    ),
)
