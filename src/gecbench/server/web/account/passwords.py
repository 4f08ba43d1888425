"""Passwords: changing one's own, and Django's way back for whoever has forgotten it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordResetForm, SetPasswordForm
from django.contrib.auth.views import (
    INTERNAL_RESET_SESSION_TOKEN,
    PasswordResetConfirmView,
    PasswordResetView,
)
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from gecbench.server.models import Person
from gecbench.server.web.account.forms import EmailForm, PasswordForm
from gecbench.server.web.account.views import enter
from gecbench.server.web.http import form_status, limited
from gecbench.server.web.permissions import anyone, signed_in
from gecbench.server.workflow import accounts
from gecbench.server.workflow.errors import GoneError, RefusedError

_MAILS = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")


@signed_in
@never_cache
@sensitive_post_parameters("old", "new", "again", "password")
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, person: Person) -> HttpResponseBase:
    """Change the password (this session stays, all others end) or the e-mail address."""
    form, email = PasswordForm(), EmailForm(person, initial={"email": person.email})
    if request.POST.get("do") == "email":
        email = EmailForm(person, request.POST)
        if email.is_valid():
            accounts.change_email(person, email.cleaned_data["email"])
            messages.success(request, gettext("Your e-mail address is saved."))
            return redirect("account-password")
    elif request.method == "POST":
        form = PasswordForm(request.POST)
        try:
            if form.is_valid():
                old, new = form.cleaned_data["old"], form.cleaned_data["new"]
                person = accounts.change_password(person, old=old, new=new)
                update_session_auth_hash(request, person)
                message = gettext("Your password is changed. You are signed out everywhere else.")
                messages.success(request, message)
                return redirect("account")
        except RefusedError as error:
            form.add_problems(error)
    shown = {"form": form, "email": email, "mail": bool(settings.SITE.smtp)}
    wrong = form.errors or email.errors
    return render(request, "account/password.html", shown, status=form_status(wrong))


# A password is forgotten: a link by e-mail, or from a manager; either leads to the same form.


class ForgottenForm(PasswordResetForm):
    """Sends the mail in the person's language, and later: the time of the answer tells nothing."""

    def send_mail(self, *args: Any, **words: Any) -> None:
        """Send it in a thread of its own; what fails is in the log."""
        _MAILS.submit(self._send, *args, **words)

    def _send(
        self, subject: str, body: str, context: dict[str, Any], *rest: Any, **words: Any
    ) -> None:
        with translation.override(context["user"].language or settings.LANGUAGE_CODE):
            super().send_mail(subject, body, context, *rest, **words)


@method_decorator(limited("password-mail"), name="post")
class _Forgotten(PasswordResetView):
    """Django's form for an e-mail address; the answer is the same whoever has it."""

    form_class = ForgottenForm
    token_generator = accounts.PasswordLinks()
    template_name = "account/forgotten.html"
    subject_template_name = "account/password_mail_subject.html"
    email_template_name = "account/password_mail.html"

    def dispatch(self, *args: Any, **words: Any) -> HttpResponseBase:
        """Answer, where the site can send mails."""
        if not settings.SITE.smtp:
            raise Http404
        return super().dispatch(*args, **words)

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        """Send the mail, and say what may have happened."""
        super().form_valid(form)
        return self.render_to_response({"sent": True})

    def form_invalid(self, form: PasswordResetForm) -> HttpResponse:
        """Show the form again, with what is wrong."""
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return self.render_to_response({"form": form}, status=status)

    def get_success_url(self) -> str:
        """Where nobody is sent: the page itself says it."""
        return self.request.path


class _NewPassword(PasswordResetConfirmView):
    """Django's form for a new password, by a link that holds once, for a day."""

    template_name = "account/new_password.html"

    def setup(self, request: HttpRequest, *args: Any, **words: Any) -> None:
        """Note who made the link: it holds only as long as they may make it."""
        super().setup(request, *args, **words)
        self.maker = int(words["maker"])
        self.token_generator = accounts.PasswordLinks(self.maker)

    def get_user(self, uidb64: str) -> Person | None:
        """The person whom the link is for, if it may hold at all."""
        person = super().get_user(uidb64)
        holds = isinstance(person, Person) and accounts.is_link_valid(person, self.maker)
        return cast("Person", person) if holds else None

    def form_valid(self, form: SetPasswordForm[Person]) -> HttpResponse:
        """Keep the new password and sign in; of two who try at once, one can."""
        try:
            person = accounts.reset_password(form.user, form.cleaned_data["new_password1"])
        except GoneError:
            self.validlink = False
            return self.render_to_response({})
        del self.request.session[INTERNAL_RESET_SESSION_TOKEN]
        enter(self.request, person)
        message = gettext("Your password is changed. You are signed out everywhere else.")
        messages.success(self.request, message)
        return redirect("/")

    def render_to_response(self, context: dict[str, Any], **words: Any) -> HttpResponse:
        """The form, or the page of a link that no longer holds."""
        if not self.validlink:
            return TemplateResponse(self.request, "account/gone.html", status=HTTPStatus.GONE)
        status = form_status(context["form"].errors)
        return super().render_to_response({**context, "person": self.user}, status=status)


_methods = require_http_methods(["GET", "HEAD", "POST"])
forgotten = anyone(_methods(never_cache(_Forgotten.as_view())))
new_password = anyone(_methods(_NewPassword.as_view()))
