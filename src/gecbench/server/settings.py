"""Django's settings, made of the site's data folder that GECBENCH_SITE names.

Without that variable (type checking, commands that need no rows) nothing is opened and the
database is one in memory.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import dj_database_url
from django.utils.translation import gettext_lazy

from gecbench.api.options import Places
from gecbench.server.guidelines.rendering import LARGEST
from gecbench.server.site.folder import (
    DATABASE,
    STATIC,
    Site,
    apply_environment,
    machine_zone,
    read_site,
)

_FOLDER = os.environ.get("GECBENCH_SITE", "")
SITE = apply_environment(
    read_site(Path(_FOLDER)) if _FOLDER else Site(folder=Path(), secret="no site, nothing to sign"),
    os.environ,
)
_HTTPS = SITE.https
_HERE = Path(__file__).parent

SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;"
    "PRAGMA cache_size=-20000;PRAGMA foreign_keys=ON;PRAGMA temp_store=MEMORY;"
)


def database_of(url: str) -> dict[str, Any]:
    """The settings of a database server: connections stay, and are looked at before use."""
    parsed: dict[str, Any] = {
        **dj_database_url.parse(url, conn_max_age=None, conn_health_checks=True)
    }
    options = {"application_name": "gecbench", "connect_timeout": 10}
    return {**parsed, "OPTIONS": {**options, **parsed.get("OPTIONS", {})}}


def _database() -> dict[str, Any]:
    """The one database: what the URL says, or SQLite in the data folder.

    IMMEDIATE: a transaction that reads and then writes takes its turn at once, and never fails as
    "database is locked" half way (section 3.3 of the specification has measured it).
    """
    if SITE.database:
        return database_of(SITE.database)
    return {
        "ENGINE": "gecbench.server.sqlite",
        "NAME": str(SITE.folder / DATABASE) if _FOLDER else ":memory:",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": SQLITE_PRAGMAS,
        },
    }


SECRET_KEY = SITE.secret
DEBUG = False
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *SITE.hosts]
DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ROOT_URLCONF = "gecbench.server.urls"
AUTH_USER_MODEL = "server.Person"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "day"

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
    "csp",
    "gecbench.server.apps.ServerConfig",
]
MIDDLEWARE = [
    "gecbench.server.web.middleware.RequestId",
    "django.middleware.security.SecurityMiddleware",
    "gecbench.server.web.middleware.ContentPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "gecbench.server.web.middleware.PersonLocale",
    "gecbench.server.web.middleware.SessionAge",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "gecbench.server.web.middleware.Failures",
    "axes.middleware.AxesMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [_HERE / "web" / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "gecbench.server.web.navigation.page",
            ],
            "builtins": ["django.templatetags.i18n", "django.templatetags.static"],
        },
    }
]

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("login", "name")},
    },
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 24 * 3600
HINT_CORRECTORS = {"en": SITE.hints_en, "zh": SITE.hints_zh}
"""Language to the corrector of hints, "" for none: whoever runs the site says what it loads."""
PLACES = Places(
    *(
        Path(os.environ[name]) if os.environ.get(name) else None
        for name in ("GECBENCH_DATA", "GECBENCH_DATA_MIRROR")
    )
)
"""Where data sets lie, for schemes that read them, as for all other commands."""
EMAIL_HOST, EMAIL_PORT = SITE.mail_server.hostname or "", SITE.mail_server.port or 25
EMAIL_HOST_USER = unquote(SITE.mail_server.username or "")
EMAIL_HOST_PASSWORD = unquote(SITE.mail_server.password or "")
EMAIL_USE_TLS = SITE.mail_server.scheme == "smtp+tls"
EMAIL_USE_SSL = SITE.mail_server.scheme == "smtp+ssl"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = SITE.mail_from or "gecbench@localhost"
# Five failures of one login from one address lock that pair for a quarter of an hour: nobody else
# behind the same address waits. How fast one address may try is in web/http.py.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_ENABLE_ACCESS_FAILURE_LOG = True
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
AXES_HTTP_RESPONSE_CODE = 403
AXES_USERNAME_FORM_FIELD = "username"
AXES_LOCKOUT_CALLABLE = "gecbench.server.web.sign_in.answered_already"
AXES_CLIENT_IP_CALLABLE = "gecbench.server.web.http.client_address"

LANGUAGE_CODE = SITE.language or "zh-hans"
LANGUAGES = [("zh-hans", gettext_lazy("Chinese (simplified)")), ("en", gettext_lazy("English"))]
LOCALE_PATHS = [_HERE / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = SITE.time_zone or (machine_zone(os.environ) if _FOLDER else "UTC")

# A site's server collects its static files under names with hashes when it starts; without a site
# they are read where they lie.
STATIC_URL = "static/"
STATICFILES_DIRS = [_HERE / "web" / "static"]
STATIC_ROOT = SITE.folder / STATIC if _FOLDER else None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "gecbench.server.web.static_files.HashedFiles"
        if _FOLDER
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not _FOLDER
WHITENOISE_AUTOREFRESH = False
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

SESSION_ENGINE = "gecbench.server.models.people"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_NAME = "gecbench_session"
SESSION_COOKIE_SECURE = _HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = "gecbench_csrf"
CSRF_COOKIE_SECURE = _HTTPS
CSRF_FAILURE_VIEW = "gecbench.server.web.errors.csrf_failure"
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in SITE.hosts if _HTTPS and "*" not in host]
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31536000 if _HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _HTTPS and SITE.hsts_subdomains
SECURE_HSTS_PRELOAD = _HTTPS and SITE.hsts_preload
SECURE_SSL_REDIRECT = _HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _HTTPS else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "connect-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "worker-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
# The largest form holds a guideline. A browser may write each byte as three ("%E4"), and what is
# too long by a little is to come in as well, so that the page can say so with the text kept.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * LARGEST
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
SILENCED_SYSTEM_CHECKS: list[str] = []

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "gecbench.server.site.serving.TextLine"},
        "json": {"()": "gecbench.server.site.serving.JsonLine"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": SITE.log}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "gecbench": {"level": "INFO"},
        "axes": {"level": "WARNING"},
        # Its warnings name whole addresses, secrets of links among them; requests are logged
        # by web/middleware.py.
        "django.request": {"level": "ERROR"},
        "django.security.csrf": {"level": "ERROR"},
    },
}
