"""What projects, their settings and their guidelines say is wrong."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

MESSAGES = (
    _("%(option)s is %(value)s; it is true or false"),
    _("%(option)s is %(value)s; it is a text of at most 500 characters"),
    _("%(option)s is %(value)s; it is a list of texts"),
    _("%(option)s is %(value)s; it is an object of rule and level"),
    _("rule %(rule)s is %(value)s; it is off, warn or block"),
    _("the guideline is empty or holds NUL characters; write some Markdown"),
    _("the guideline has %(bytes)s bytes, at most %(most)s are accepted; shorten it"),
    _("this is version %(version)s, which is in force already"),
    _("the short name %(name)s is taken; choose another"),
    _("the short name is %(name)s; it has at most 60 small letters, digits, - and _, as mucgec-2"),
    _("a project needs a name of at most 150 characters"),
    _("%(name)s is not the project's short name %(other_name)s"),
    _("the project was deleted more than %(days)s days ago; restore a backup"),
    _("there is no sentence %(number)s in this project"),
    _("one of these sentences is not in this project"),
    _("this guideline is not of this project"),
    _("there is no sentence %(number)s for this reviewer"),
    _("there is no study item %(number)s in this project"),
    _("sentence %(number)s is not in review"),
)
